/// Pinned holds: settling them in Redis, and resolving pins whose commit has not ended.
@NullMarked
package io.holdfast.hold.pin;

import org.jspecify.annotations.NullMarked;
