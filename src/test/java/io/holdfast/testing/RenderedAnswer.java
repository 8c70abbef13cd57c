package io.holdfast.testing;

import io.holdfast.app.Service;
import io.micronaut.http.HttpResponse;
import io.micronaut.serde.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.TreeMap;

/// An answer as it is sent, in one line: status, headers by name, body.
public record RenderedAnswer(ObjectMapper mapper) {
  public static RenderedAnswer of(Service service) {
    return new RenderedAnswer(service.context().getBean(ObjectMapper.class));
  }

  public String line(HttpResponse<?> answer) {
    var headers = new TreeMap<String, String>();
    answer
        .getHeaders()
        .forEach(
            (name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(",", values)));
    return "%d %s %s".formatted(answer.code(), headers, body(answer.body()));
  }

  private String body(Object body) {
    try {
      return body instanceof byte[] bytes
          ? new String(bytes, StandardCharsets.UTF_8)
          : mapper.writeValueAsString(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
