/// What makes two calls the same call: the token, and the digest of what was asked; and a guard
/// that remembers for a while what was seen. Without a framework.
@NullMarked
package io.holdfast.idempotency;

import org.jspecify.annotations.NullMarked;
