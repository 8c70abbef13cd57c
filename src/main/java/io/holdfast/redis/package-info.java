/// The link to Redis: how connections are opened, and how scripts are run.
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
