package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Http;
import io.holdfast.testing.TestServers;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;

/// What tests do with keys, over HTTP.
public record Keys(URI door) {
  private static final AtomicInteger COUNTER = new AtomicInteger();

  static String bearer(String key) {
    return "Bearer " + key;
  }

  static String aToken() {
    return "token-" + COUNTER.incrementAndGet();
  }

  HttpResponse<String> make(String key, String token, String body) {
    return Http.post(
        door, "/v1/keys", body, "Authorization", bearer(key), "Idempotency-Key", token);
  }

  HttpResponse<String> revoke(String token, String id) {
    return revoke(TestServers.KEY, token, id);
  }

  HttpResponse<String> revoke(String key, String token, String id) {
    return Http.delete(
        door, "/v1/keys/" + id, "Authorization", bearer(key), "Idempotency-Key", token);
  }

  Made made(String caller, String... scopes) {
    var words = "\"" + String.join("\",\"", scopes) + "\"";
    var body = "{\"caller\":\"%s\",\"scopes\":[%s]}".formatted(caller, words);
    var response = make(TestServers.KEY, aToken(), body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
    var json = Http.json(response);
    return new Made(json.path("id").asText(), json.path("key").asText());
  }

  public HttpResponse<String> hold(String key) {
    return Http.post(door, "/test/tiny/hold", "{}", "Authorization", bearer(key));
  }

  record Made(String id, String key) {}
}
