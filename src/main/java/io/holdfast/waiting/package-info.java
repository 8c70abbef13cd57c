/// Waiting rooms: tickets with places, admissions in the order of the places, and raffles.
@NullMarked
package io.holdfast.waiting;

import org.jspecify.annotations.NullMarked;
