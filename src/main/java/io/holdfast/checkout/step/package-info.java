/// The steps of a checkout: claim, authorise, commit, capture, fulfil.
@NullMarked
package io.holdfast.checkout.step;

import org.jspecify.annotations.NullMarked;
