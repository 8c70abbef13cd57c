/// The tables that the journal fills: journal lines, holds and tokens.
@NullMarked
package io.holdfast.journal.store;

import org.jspecify.annotations.NullMarked;
