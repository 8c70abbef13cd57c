/// Stores for idempotent results and for duplicate guards.
@NullMarked
package io.holdfast.idempotency.store;

import org.jspecify.annotations.NullMarked;
