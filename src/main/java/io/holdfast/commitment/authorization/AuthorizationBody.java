package io.holdfast.commitment.authorization;

import io.holdfast.web.BodyReader;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/// The body of a request for a nonce.
@Introspected
@Schema(name = "NewAuthorization")
record AuthorizationBody(
    @Size(min = 1, max = 128) @Schema(description = "The hold that the nonce is bound to.")
        String holdId,
    @Pattern(regexp = "^(confirm|compensate)$", message = "has to be confirm or compensate")
        @Schema(description = "`confirm` or `compensate`.")
        String operation,
    @Min(1) @Max(86_400) @Schema(description = "How long the nonce is valid. Default: 300.")
        @Nullable Long validSeconds) {
  private static final BodyReader<AuthorizationBody> READER =
      BodyReader.of(AuthorizationBody.class);
  private static final long SECONDS_DEFAULT = 300;

  static AuthorizationBody read(JsonFields fields) {
    return READER.read(fields);
  }

  long seconds() {
    return validSeconds == null ? SECONDS_DEFAULT : validSeconds;
  }
}
