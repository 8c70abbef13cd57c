/// What every feature runs on: the tasks that it repeats in the background.
@NullMarked
package io.holdfast.runtime;

import org.jspecify.annotations.NullMarked;
