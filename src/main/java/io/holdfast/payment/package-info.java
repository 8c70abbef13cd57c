/// Payment providers: the gateways, the record of calls to them, and their outcomes.
@NullMarked
package io.holdfast.payment;

import org.jspecify.annotations.NullMarked;
