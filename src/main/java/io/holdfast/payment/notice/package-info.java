/// Notices by which payment providers report the result of a call.
@NullMarked
package io.holdfast.payment.notice;

import org.jspecify.annotations.NullMarked;
