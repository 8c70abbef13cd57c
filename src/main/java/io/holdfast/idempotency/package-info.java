/// Idempotency without a framework: the token and the digest of a call, and the versions of stored
/// entries.
@NullMarked
package io.holdfast.idempotency;

import org.jspecify.annotations.NullMarked;
