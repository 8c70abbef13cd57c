/// Changes of pools: their rules, prices and capacity, added items, and items out of sale.
@NullMarked
package io.holdfast.change;

import org.jspecify.annotations.NullMarked;
