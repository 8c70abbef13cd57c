/// The list of all problems, and the pages that explain them.
@NullMarked
package io.holdfast.web.problem;

import org.jspecify.annotations.NullMarked;
