/// Values: pools, items, holds, fences, epochs and stored outcomes. No framework and no I/O.
@NullMarked
package io.holdfast.pool;

import org.jspecify.annotations.NullMarked;
