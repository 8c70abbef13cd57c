/// The intent layer: holds in Redis, with their routes, scripts and expiry sweep.
@NullMarked
package io.holdfast.hold;

import org.jspecify.annotations.NullMarked;
