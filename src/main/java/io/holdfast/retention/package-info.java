/// Drops records that are older than their horizon, and says since when the records are complete.
@NullMarked
package io.holdfast.retention;

import org.jspecify.annotations.NullMarked;
