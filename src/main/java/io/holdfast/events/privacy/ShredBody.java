package io.holdfast.events.privacy;

import io.holdfast.access.Caller;
import io.holdfast.web.BodyReader;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/// The body of a request to shred the personal data of a requester.
@Introspected
@Schema(name = "ShredSubject")
record ShredBody(
    @Size(min = 1, max = 128)
        @Schema(
            description =
                "The caller whose requester it is; ~ and the subject for a person with a JWT."
                    + " Default: the authenticated one.")
        @Nullable String caller,
    @Size(min = 1, max = 128) @Schema(description = "Recorded with the report.")
        @Nullable String correlationId) {
  private static final BodyReader<ShredBody> READER = BodyReader.of(ShredBody.class);

  /// Of a person with a JWT, the name under which the service knows the caller.
  @Nullable String callerName() {
    return caller == null || !caller.startsWith("~") || caller.startsWith("~#")
        ? caller
        : Caller.nameOf(caller.substring(1));
  }

  static ShredBody read(JsonFields fields) {
    return READER.read(fields);
  }
}
