package io.holdfast.testing;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Running servers whose addresses are in the environment, as for the service itself.
record GivenServers(Map<String, String> environment) implements ServerSource {

  @Override
  public String redis() {
    return environment.get("REDIS_URI");
  }

  @Override
  public String postgres() {
    var url = environment.get("JDBC_URL");
    return url + parameter(url, "user", "JDBC_USER") + parameter("?", "password", "JDBC_PASSWORD");
  }

  @Override
  public void close() {}

  private String parameter(String before, String name, String variable) {
    var value = environment.getOrDefault(variable, "");
    return value.isEmpty()
        ? ""
        : (before.contains("?") ? "&" : "?")
            + name
            + "="
            + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
