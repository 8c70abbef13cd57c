/// Event streams whose ids are computed from a business key, so that a value is used once without a
/// reservation.
@NullMarked
package io.holdfast.stream;

import org.jspecify.annotations.NullMarked;
