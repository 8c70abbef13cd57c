/// Reservations: a unique value is reserved before the entity exists that will own it. A
/// reservation is a hold of one value of a pool of the kind UNIQUE; the type names the pool.
@NullMarked
package io.holdfast.reservation;

import org.jspecify.annotations.NullMarked;
