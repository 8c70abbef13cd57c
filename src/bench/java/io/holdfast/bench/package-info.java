/// How fast the service is, in ratios: a driver, the cases it puts to a service of its own, and the
/// report. Its bare endpoint is what the others are compared with.
@NullMarked
package io.holdfast.bench;

import org.jspecify.annotations.NullMarked;
