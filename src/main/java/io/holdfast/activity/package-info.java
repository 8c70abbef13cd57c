/// The index of pools with work, which the expiry sweep and the journal drain read.
@NullMarked
package io.holdfast.activity;

import org.jspecify.annotations.NullMarked;
