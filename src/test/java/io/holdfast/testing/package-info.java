/// What tests stand on: real servers, faults on the wire, whole processes, and the list of what has
/// been proven.
@NullMarked
package io.holdfast.testing;

import org.jspecify.annotations.NullMarked;
