package io.holdfast.confirm;

import io.holdfast.pool.Fence;
import io.holdfast.web.JsonFields;
import org.jspecify.annotations.Nullable;

/// What somebody says who wants to buy what a hold holds.
///
/// @param fence as the holder knows it
/// @param logicalKey names the intended effect; null for that of the hold itself
record ConfirmBody(
    String requester,
    long fence,
    String orderId,
    @Nullable String logicalKey,
    @Nullable String nonce,
    @Nullable String attemptId) {

  /// Refuses with `InvalidField` what makes no sense.
  static ConfirmBody read(JsonFields fields) {
    var purchase =
        new ConfirmBody(
            fields.text("requester"),
            fields.whole("fence", 1, Fence.MAX),
            fields.text("orderId"),
            fields.optionalText("logicalKey"),
            fields.optionalText("nonce"),
            fields.optionalText("attemptId"));
    fields.refuseOthers();
    return purchase;
  }
}
