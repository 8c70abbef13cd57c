/// The ledger: sales, claims and ends of holds in Postgres. This package compiles without `hold`
/// and Redis, because the promise that nothing is sold twice does not depend on Redis.
@NullMarked
package io.holdfast.commitment;

import org.jspecify.annotations.NullMarked;
