/// The service as one program: its command line, its start and its end.
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
