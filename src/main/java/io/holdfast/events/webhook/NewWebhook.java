package io.holdfast.events.webhook;

import io.holdfast.events.EventType;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What is asked for with a new webhook.
record NewWebhook(URI url, List<String> types) {
  private static final int URL_BYTES_MAX = 2_048;
  private static final int PORT_MAX = 65_535;

  /// @param isPlainAllowed whether http will do
  /// @throws InvalidField if it makes no sense
  static NewWebhook of(Map<String, @Nullable Object> body, boolean isPlainAllowed) {
    var fields = JsonFields.of(body);
    var url = url(fields, isPlainAllowed);
    var types = fields.texts("types", EventType.values().length);
    for (var i = 0; i < types.size(); i++) {
      if (EventType.of(types.get(i)).isEmpty()) {
        throw fields.invalid("types[" + i + "]", "is no type of event that there is");
      }
    }
    fields.refuseOthers();
    return new NewWebhook(url, types);
  }

  private static URI url(JsonFields fields, boolean isPlainAllowed) {
    var text = fields.longText("url", URL_BYTES_MAX);
    try {
      var url = new URI(text);
      var isHttp = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
      if (!isHttp || url.getHost() == null || url.getPort() > PORT_MAX || url.getPort() == 0) {
        throw fields.invalid("url", "has to be an absolute URL such as https://shop.example/hook");
      }
      if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
        throw fields.invalid("url", "must have neither a user nor a fragment");
      }
      if (!isPlainAllowed && !"https".equals(url.getScheme())) {
        throw fields.invalid("url", "has to begin with https");
      }
      return url;
    } catch (URISyntaxException e) {
      throw fields.invalid("url", "has to be a URL");
    }
  }
}
