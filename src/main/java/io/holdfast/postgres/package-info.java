/// The link to Postgres: one bounded pool, the migrations, and the epochs that fences are made of.
@NullMarked
package io.holdfast.postgres;

import org.jspecify.annotations.NullMarked;
