/// How a pool stands, told to everybody who listens: one look for all of them.
@NullMarked
package io.holdfast.live;

import org.jspecify.annotations.NullMarked;
