/// What can be held: values only, no framework and no wire.
@NullMarked
package io.holdfast.pool;

import org.jspecify.annotations.NullMarked;
