/// Proves from the records alone that the promises were kept.
@NullMarked
package io.holdfast.audit;

import org.jspecify.annotations.NullMarked;
