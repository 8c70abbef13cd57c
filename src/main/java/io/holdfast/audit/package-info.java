/// Checks the promises against the records: queries, reports, and the history of holds and tokens.
@NullMarked
package io.holdfast.audit;

import org.jspecify.annotations.NullMarked;
