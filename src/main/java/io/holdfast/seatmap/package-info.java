/// The state of a pool and its items: snapshots, polling, and a stream of changes.
@NullMarked
package io.holdfast.seatmap;

import org.jspecify.annotations.NullMarked;
