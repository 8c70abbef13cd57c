/// The saga engine: runs, steps, transitions, leases, and how turns are stored.
@NullMarked
package io.holdfast.checkout.saga;

import org.jspecify.annotations.NullMarked;
