package io.holdfast.events.webhook;

import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/// The body of a request to send events to a webhook again. It has both fields or none.
@Introspected
@Schema(name = "ReplayWebhook")
record ReplayBody(
    @Size(min = 1, max = 128)
        @Schema(description = "The pool whose events are sent again. Requires `from`.")
        @Nullable String pool,
    @Min(1) @Schema(description = "The sequence number of the first event to send again.")
        @Nullable Long from) {
  private static final BodyReader<ReplayBody> READER = BodyReader.of(ReplayBody.class);

  static ReplayBody read(JsonFields fields) {
    var body = READER.read(fields);
    if ((body.pool == null) != (body.from == null)) {
      var missing = body.pool == null ? "pool" : "from";
      throw InvalidField.of(missing, "is missing: pool and from go together");
    }
    return body;
  }
}
