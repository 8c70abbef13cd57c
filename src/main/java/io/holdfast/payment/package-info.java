/// The outside that moves money: who is asked, what was asked, and what came of it.
@NullMarked
package io.holdfast.payment;

import org.jspecify.annotations.NullMarked;
