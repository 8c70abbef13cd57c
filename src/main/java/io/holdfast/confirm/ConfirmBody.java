package io.holdfast.confirm;

import io.holdfast.pool.Fence;
import io.holdfast.pool.PoolKind;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/// The body of a confirm: the sale of what a hold holds.
@Introspected
@Schema(name = "Confirm")
record ConfirmBody(
    @Size(min = 1, max = 128) @Schema(description = "The requester of the hold.") String requester,
    @Min(1) @Max(Fence.MAX) @Schema(description = "The fence of the hold.") long fence,
    @Size(min = 1, max = 128) @Schema(description = "The shop's own id of this order.")
        String orderId,
    @Size(min = 1, max = 128)
        @Schema(
            description =
                "Names the intended effect, which happens at most once. Default: one per hold.")
        @Nullable String logicalKey,
    @Min(1)
        @Schema(
            description =
                "How much of a held quantity to sell; the rest becomes free. Default: all of it.")
        @Nullable Integer quantity,
    @Size(min = 1, max = 128)
        @Schema(description = "A nonce of /v1/authorizations. Required if the pool asks for one.")
        @Nullable String nonce,
    @Size(min = 1, max = 128)
        @Schema(description = "Tells retries apart in the history. It changes nothing else.")
        @Nullable String attemptId) {
  private static final BodyReader<ConfirmBody> READER = BodyReader.of(ConfirmBody.class);

  /// Refuses with `InvalidField` what does not fit the kind of the pool.
  static ConfirmBody read(JsonFields fields, PoolKind kind) {
    var body = READER.read(fields);
    if (body.quantity != null && kind != PoolKind.STOCK) {
      throw InvalidField.of("quantity", "is allowed for pools of the kind STOCK only");
    }
    return body;
  }
}
