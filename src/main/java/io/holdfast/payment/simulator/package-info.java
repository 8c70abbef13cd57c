/// A payment provider without money, for demonstrations and tests.
@NullMarked
package io.holdfast.payment.simulator;

import org.jspecify.annotations.NullMarked;
