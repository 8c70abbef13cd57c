/// The steps of a checkout in the ledger: claim, sell, return, reverse.
@NullMarked
package io.holdfast.commitment.claim;

import org.jspecify.annotations.NullMarked;
