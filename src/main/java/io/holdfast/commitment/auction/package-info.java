/// The close of an auction: the winner is picked and its bid is sold, once.
@NullMarked
package io.holdfast.commitment.auction;

import org.jspecify.annotations.NullMarked;
