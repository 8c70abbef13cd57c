/// Moves the journal of Redis to Postgres, and slows down requests while it cannot.
@NullMarked
package io.holdfast.journal;

import org.jspecify.annotations.NullMarked;
