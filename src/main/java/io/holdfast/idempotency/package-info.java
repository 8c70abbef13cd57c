/// Idempotency without a framework: the token and the digest of a call, and a guard that remembers
/// identities for a window.
@NullMarked
package io.holdfast.idempotency;

import org.jspecify.annotations.NullMarked;
