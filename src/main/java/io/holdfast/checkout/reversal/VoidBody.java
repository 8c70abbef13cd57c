package io.holdfast.checkout.reversal;

import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The body of a request to void a sale or a part of it: what is refunded, until when, and why.
@Introspected
@Schema(name = "VoidCommitment")
record VoidBody(
    @Pattern(regexp = "^(full|none|partial)$", message = "has to be full, none or partial")
        @Schema(description = "`full`, `none` or `partial`.")
        String refund,
    @Min(0) @Max(CENTS_MAX) @Schema(description = "Required for a partial refund only.")
        @Nullable Long refundCents,
    @Min(0)
        @Max(CENTS_MAX)
        @Schema(
            description =
                "A fee that is kept of a full refund. Default: the fee of the pool's policy at the"
                    + " time of the sale, for each voided item.")
        @Nullable Long feeCents,
    @Min(1)
        @Max(SECONDS_MAX)
        @Schema(
            description =
                "Refuses the void if the sale is older than this. Default: for a refund, the limit"
                    + " of the pool's policy at the time of the sale.")
        @Nullable Long withinSeconds,
    @Size(min = 1, max = ITEMS_MAX)
        @Schema(description = "Only these items of the sale. Default: all that are not voided.")
        @Nullable List<String> items,
    @Min(1)
        @Schema(description = "Only so many units of a sale of a quantity. Default: all of them.")
        @Nullable Integer quantity,
    @Size(min = 1, max = 128) @Schema(description = "Recorded with the reversal.")
        @Nullable String reason) {
  private static final BodyReader<VoidBody> READER = BodyReader.of(VoidBody.class);
  private static final long CENTS_MAX = 1_000_000_000_000L;
  private static final long SECONDS_MAX = 315_360_000;
  private static final int ITEMS_MAX = 100;

  static VoidBody read(JsonFields fields) {
    var body = READER.read(fields);
    if (body.items != null && body.quantity != null) {
      throw InvalidField.of("quantity", "does not go together with items");
    }
    return body;
  }

  /// Whether only a part of the sale is asked for.
  boolean namesPart() {
    return items != null || quantity != null;
  }
}
