/// Turns a hold into a sale: pin in Redis, commit in Postgres, settle in Redis.
@NullMarked
package io.holdfast.confirm;

import org.jspecify.annotations.NullMarked;
