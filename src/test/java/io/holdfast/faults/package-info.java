/// The kill matrix: kills the service and its servers at every moment of a checkout, and looks at
/// what is left.
@NullMarked
package io.holdfast.faults;

import org.jspecify.annotations.NullMarked;
