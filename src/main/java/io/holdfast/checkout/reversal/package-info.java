/// Reversals of sales: voids of an operator, and sales that failed their verification.
@NullMarked
package io.holdfast.checkout.reversal;

import org.jspecify.annotations.NullMarked;
