/// The test infrastructure: real servers, network faults, service processes, and the acceptance
/// list.
@NullMarked
package io.holdfast.testing;

import org.jspecify.annotations.NullMarked;
