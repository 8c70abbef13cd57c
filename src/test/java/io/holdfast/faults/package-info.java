/// The kill matrix: kills the service and its servers at every moment of a checkout, and checks the
/// state after recovery.
@NullMarked
package io.holdfast.faults;

import org.jspecify.annotations.NullMarked;
