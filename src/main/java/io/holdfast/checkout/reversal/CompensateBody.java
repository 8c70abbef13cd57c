package io.holdfast.checkout.reversal;

import io.holdfast.web.BodyReader;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;

/// The body of a request to reverse a sale that failed its verification.
@Introspected
@Schema(name = "CompensateSale")
record CompensateBody(
    @Size(min = 1, max = 128)
        @Schema(description = "A nonce of /v1/authorizations for the operation `compensate`.")
        String nonce) {
  private static final BodyReader<CompensateBody> READER = BodyReader.of(CompensateBody.class);

  static CompensateBody read(JsonFields fields) {
    return READER.read(fields);
  }
}
