/// Loads pools from Postgres into Redis, opens epochs, and reconciles Redis with Postgres.
@NullMarked
package io.holdfast.seeding;

import org.jspecify.annotations.NullMarked;
