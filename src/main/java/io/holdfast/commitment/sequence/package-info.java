/// Processing in the order of sequence numbers. Redis gives a number in the step that puts an entry
/// into a queue; Postgres commits the entries in this order and refuses older numbers.
@NullMarked
package io.holdfast.commitment.sequence;

import org.jspecify.annotations.NullMarked;
