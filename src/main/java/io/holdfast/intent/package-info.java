/// The seam under the intent layer: scripts, each of them one atomic step, and where they run.
/// Redis runs them as Lua (`redis`), Postgres as functions of the same name (`postgres`); whoever
/// calls them does not know which.
@NullMarked
package io.holdfast.intent;

import org.jspecify.annotations.NullMarked;
