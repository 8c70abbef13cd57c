/// Idempotent HTTP calls: reading the token, and answering with a stored result.
@NullMarked
package io.holdfast.idempotency.http;

import org.jspecify.annotations.NullMarked;
