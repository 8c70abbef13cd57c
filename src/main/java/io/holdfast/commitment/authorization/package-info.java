/// One-time nonces that authorise one operation on one hold.
@NullMarked
package io.holdfast.commitment.authorization;

import org.jspecify.annotations.NullMarked;
