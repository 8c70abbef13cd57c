/// The link to Postgres: one bounded connection pool, transactions, statements, leases and the
/// migrations.
@NullMarked
package io.holdfast.postgres;

import org.jspecify.annotations.NullMarked;
