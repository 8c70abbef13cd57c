package io.holdfast.events.webhook;

import io.holdfast.web.BodyReader;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;

/// The bodies of requests that change a webhook.
final class WebhookBodies {
  private static final long OVERLAP_SECONDS_MAX = 604_800;

  private WebhookBodies() {}

  @Introspected
  @Schema(name = "ChangeWebhook")
  record Change(
      @Schema(description = "Whether events are sent. What happened meanwhile is sent afterwards.")
          boolean enabled) {
    private static final BodyReader<Change> READER = BodyReader.of(Change.class);

    static Change read(JsonFields fields) {
      return READER.read(fields);
    }
  }

  @Introspected
  @Schema(name = "RotateWebhookSecret")
  record Rotate(
      @Min(0)
          @Max(OVERLAP_SECONDS_MAX)
          @Schema(description = "How long the old secret signs beside the new one. Default: 86400.")
          @Nullable Long overlapSeconds) {
    private static final BodyReader<Rotate> READER = BodyReader.of(Rotate.class);

    static Rotate read(JsonFields fields) {
      return READER.read(fields);
    }
  }
}
