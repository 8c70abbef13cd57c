/// How what Redis has done reaches Postgres, and what happens while it does not.
@NullMarked
package io.holdfast.journal;

import org.jspecify.annotations.NullMarked;
