package io.holdfast.journal.store;

import io.holdfast.pool.HoldState;
import org.jspecify.annotations.Nullable;

/// Which holds of a pool a page shows. What is null does not matter.
///
/// @param caller whose holds
public record HoldFilter(String caller, @Nullable HoldState state, @Nullable String requester) {}
