/// Published schemas of events.
@NullMarked
package io.holdfast.events.schema;

import org.jspecify.annotations.NullMarked;
