/// Removes safeguards from the code and shows which tests fail.
@NullMarked
package io.holdfast.ablation;

import org.jspecify.annotations.NullMarked;
