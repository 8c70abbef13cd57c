/// Auctions: one lot that is sold to the highest bid at a given time.
@NullMarked
package io.holdfast.auction;

import org.jspecify.annotations.NullMarked;
