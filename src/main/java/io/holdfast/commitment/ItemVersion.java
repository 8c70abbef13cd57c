package io.holdfast.commitment;

import io.holdfast.pool.ItemId;

/// An item and how often it has changed in Postgres: of two tales about it, the higher one is true.
public record ItemVersion(ItemId item, long version) {}
