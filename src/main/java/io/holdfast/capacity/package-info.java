/// Changes how many units a pool of the kind STOCK has.
@NullMarked
package io.holdfast.capacity;

import org.jspecify.annotations.NullMarked;
