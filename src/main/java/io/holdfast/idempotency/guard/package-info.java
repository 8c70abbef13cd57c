/// The duplicate guard: remembers identities for a window. The idempotency keys of this service are
/// not kept by it: their entries are written together with the effect of the call.
@NullMarked
package io.holdfast.idempotency.guard;

import org.jspecify.annotations.NullMarked;
