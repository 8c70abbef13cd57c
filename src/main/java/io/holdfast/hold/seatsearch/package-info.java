/// Best available: finds adjacent free seats.
@NullMarked
package io.holdfast.hold.seatsearch;

import org.jspecify.annotations.NullMarked;
