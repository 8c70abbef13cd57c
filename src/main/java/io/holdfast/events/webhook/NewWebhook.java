package io.holdfast.events.webhook;

import io.holdfast.events.EventType;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The request body of a new webhook.
record NewWebhook(URI url, List<String> types) {
  private static final int URL_BYTES_MAX = 2_048;
  private static final int PORT_MAX = 65_535;

  /// @param isHttpAllowed whether a URL without TLS is accepted
  /// @throws InvalidField naming the field that is wrong
  static NewWebhook of(Map<String, @Nullable Object> body, boolean isHttpAllowed) {
    var fields = JsonFields.of(body);
    var url = url(fields, isHttpAllowed);
    var types = fields.texts("types", EventType.values().length);
    for (var i = 0; i < types.size(); i++) {
      if (EventType.of(types.get(i)).isEmpty()) {
        throw fields.invalid("types[" + i + "]", "is not an event type");
      }
    }
    fields.refuseOthers();
    return new NewWebhook(url, types);
  }

  private static URI url(JsonFields fields, boolean isHttpAllowed) {
    var text = fields.longText("url", URL_BYTES_MAX);
    try {
      var url = new URI(text);
      var isHttp = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
      if (!isHttp || url.getHost() == null || url.getPort() > PORT_MAX || url.getPort() == 0) {
        throw fields.invalid("url", "must be an absolute URL such as https://shop.example/hook");
      }
      if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
        throw fields.invalid("url", "must have neither user info nor a fragment");
      }
      if (!isHttpAllowed && !"https".equals(url.getScheme())) {
        throw fields.invalid("url", "must begin with https");
      }
      return url;
    } catch (URISyntaxException e) {
      throw fields.invalid("url", "must be a URL");
    }
  }
}
