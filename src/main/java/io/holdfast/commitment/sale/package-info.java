/// The sale: batches, the optimistic and the careful path, the rules, and the verification.
@NullMarked
package io.holdfast.commitment.sale;

import org.jspecify.annotations.NullMarked;
