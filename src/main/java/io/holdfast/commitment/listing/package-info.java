/// Lists of sales, for sellers: pages of JSON and one CSV file.
@NullMarked
package io.holdfast.commitment.listing;

import org.jspecify.annotations.NullMarked;
