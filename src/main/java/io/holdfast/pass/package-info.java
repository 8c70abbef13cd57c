/// Passes of waiting rooms and the seals of their tickets: texts that this deployment has signed.
@NullMarked
package io.holdfast.pass;

import org.jspecify.annotations.NullMarked;
