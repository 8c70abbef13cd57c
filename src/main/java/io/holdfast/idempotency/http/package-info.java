/// Idempotency keys of HTTP requests, and responses that are sent once.
@NullMarked
package io.holdfast.idempotency.http;

import org.jspecify.annotations.NullMarked;
