package io.holdfast.seeding;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;

/// One row of `pool`.
@MappedEntity("pool")
record PoolRow(@Id String pool, String kind, long epoch) {}
