/// What makes two calls the same call: the token, and the digest of what was asked. Values only.
@NullMarked
package io.holdfast.idempotency;

import org.jspecify.annotations.NullMarked;
