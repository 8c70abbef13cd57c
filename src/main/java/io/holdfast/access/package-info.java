/// Authentication and authorisation of callers: API keys, JWTs, scopes and rate limits.
@NullMarked
package io.holdfast.access;

import org.jspecify.annotations.NullMarked;
