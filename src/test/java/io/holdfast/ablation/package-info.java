/// Takes a safeguard out of the code and shows which tests notice.
@NullMarked
package io.holdfast.ablation;

import org.jspecify.annotations.NullMarked;
