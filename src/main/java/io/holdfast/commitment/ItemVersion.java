package io.holdfast.commitment;

import io.holdfast.pool.ItemId;

/// An item and the number of its changes in Postgres. The state with the higher version is the
/// newer one.
public record ItemVersion(ItemId item, long version) {}
