package io.holdfast.web;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.micronaut.context.BeanProvider;
import io.micronaut.context.annotation.Context;
import io.micronaut.runtime.server.EmbeddedServer;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The address under which clients reach the service, for links that leave it. All instances have
/// the same one if `HOLDFAST_PUBLIC_URL` is set. Otherwise each names its own host and port.
@Context // so that a wrong setting stops the start
public final class PublicUrl {
  private static final String SETTING = "holdfast.public-url";

  private final @Nullable String configured;
  private final String host;
  private final int port;
  private final BeanProvider<EmbeddedServer> server;

  PublicUrl(Settings settings, BeanProvider<EmbeddedServer> server) {
    this.configured = settings.text(SETTING).map(PublicUrl::checked).orElse(null);
    this.host = settings.text("holdfast.host").filter(PublicUrl::isSingle).orElse("localhost");
    this.port = settings.number("holdfast.port", 8080);
    this.server = server;
  }

  /// Scheme, host and port, without a slash at the end.
  public String origin() {
    return configured == null ? "http://" + host + ":" + port() : configured;
  }

  /// @param path begins with a slash
  public URI of(String path) {
    return URI.create(origin() + path);
  }

  /// A free port is known once the server listens.
  private int port() {
    var running = port == 0 ? server.get() : null;
    return running != null && running.isRunning() ? running.getPort() : port;
  }

  /// Not one that stands for all addresses of the machine.
  private static boolean isSingle(String address) {
    return !address.equals("0.0.0.0") && !address.contains(":");
  }

  private static String checked(String text) {
    var url = text.strip();
    if (!isOrigin(url)) {
      throw new InvalidSetting(
          SETTING, "must be http:// or https:// with a host and no path", text);
    }
    return url;
  }

  /// Whether the text is an origin as browsers write it: lower case, no path, no slash at the end.
  public static boolean isOrigin(String text) {
    try {
      var uri = new URI(text);
      return uri.getHost() != null
          && uri.getRawUserInfo() == null
          && text.equals(text.toLowerCase(Locale.ROOT))
          && (text.startsWith("http://") || text.startsWith("https://"))
          && text.endsWith("://" + uri.getRawAuthority());
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
