/// Connections to Redis, script calls and their batches.
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
