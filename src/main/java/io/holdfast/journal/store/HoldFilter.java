package io.holdfast.journal.store;

import io.holdfast.pool.HoldState;
import org.jspecify.annotations.Nullable;

/// Selects the holds of a page. A null field matches every hold.
///
/// @param caller the owner of the holds
public record HoldFilter(String caller, @Nullable HoldState state, @Nullable String requester) {}
