/// The intent layer: holds on Redis, and how a pool gets into Redis' memory.
@NullMarked
package io.holdfast.hold;

import org.jspecify.annotations.NullMarked;
