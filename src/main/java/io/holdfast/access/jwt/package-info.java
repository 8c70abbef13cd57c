/// Authenticates callers by JWT.
@NullMarked
package io.holdfast.access.jwt;

import org.jspecify.annotations.NullMarked;
