/// The on-sale simulation: many people, few seats, and a waiting room between them.
@NullMarked
package io.holdfast.onsale;

import org.jspecify.annotations.NullMarked;
