/// Which pools have something to do: the index that the expiry sweep and the journal drain read.
@NullMarked
package io.holdfast.activity;

import org.jspecify.annotations.NullMarked;
