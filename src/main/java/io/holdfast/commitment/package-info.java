/// Sales, for good, in Postgres alone: this package compiles without the fast layer, because the
/// promise that nothing is sold twice does not lean on it.
@NullMarked
package io.holdfast.commitment;

import org.jspecify.annotations.NullMarked;
