package io.holdfast.events.webhook;

import io.holdfast.events.EventType;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The body of a request for a new webhook.
@Introspected
@Schema(name = "NewWebhook")
record NewWebhook(
    @Size(min = 1, max = 2_048)
        @Schema(description = "An https URL whose host has a public address.")
        String url,
    @Size(min = 1) @Schema(description = "The types of events to send, such as `hold.confirmed`.")
        List<String> types,
    @Size(min = 1, max = POOLS_MAX)
        @Schema(description = "The pools whose events to send. Default: all pools.")
        @Nullable
            List<
                @Pattern(
                    regexp = "^[A-Za-z0-9._-]{1,64}$",
                    message = "has to be 1 to 64 of A-Z a-z 0-9 . _ -")
                String>
            pools) {
  private static final BodyReader<NewWebhook> READER = BodyReader.of(NewWebhook.class);
  private static final int PORT_MAX = 65_535;
  private static final int POOLS_MAX = 100;

  /// Refuses with `InvalidField` a body that is not allowed.
  ///
  /// @param isPlainAllowed whether the URL may begin with http
  static NewWebhook of(Map<String, @Nullable Object> body, boolean isPlainAllowed) {
    var webhook = READER.read(JsonFields.of(body));
    webhook.refuseUnlessAbsolute(isPlainAllowed);
    webhook.refuseUnknownTypes();
    return webhook;
  }

  String host() {
    return URI.create(url).getHost();
  }

  private void refuseUnlessAbsolute(boolean isPlainAllowed) {
    var parsed = parsed();
    var isHttp = "https".equals(parsed.getScheme()) || "http".equals(parsed.getScheme());
    var isPort = parsed.getPort() != 0 && parsed.getPort() <= PORT_MAX;
    if (!isHttp || parsed.getHost() == null || !isPort) {
      throw InvalidField.of("url", "has to be an absolute URL such as https://shop.example/hook");
    }
    if (parsed.getRawUserInfo() != null || parsed.getRawFragment() != null) {
      throw InvalidField.of("url", "must have neither a user nor a fragment");
    }
    if (!isPlainAllowed && !"https".equals(parsed.getScheme())) {
      throw InvalidField.of("url", "has to begin with https");
    }
  }

  private URI parsed() {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      throw InvalidField.of("url", "has to be a URL");
    }
  }

  private void refuseUnknownTypes() {
    for (var i = 0; i < types.size(); i++) {
      if (EventType.of(types.get(i)).filter(NewWebhook::isOfPools).isEmpty()) {
        throw InvalidField.of("types[" + i + "]", "is not a known type of event");
      }
    }
  }

  private static boolean isOfPools(EventType type) {
    return type != EventType.WEBHOOK_PING;
  }

  /// Empty for all pools. A pool may be created later.
  List<String> poolNames() {
    return pools == null ? List.of() : pools;
  }
}
