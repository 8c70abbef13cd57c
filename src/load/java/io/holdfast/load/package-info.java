/// The load driver of the bench and of the overload test: connections to the service over loopback,
/// all of them served by one thread, and the classes of answers that it counts.
@NullMarked
package io.holdfast.load;

import org.jspecify.annotations.NullMarked;
