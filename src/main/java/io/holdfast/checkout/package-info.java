/// Payment and sale as one story, undone cleanly when it breaks: the saga and who runs it.
@NullMarked
package io.holdfast.checkout;

import org.jspecify.annotations.NullMarked;
