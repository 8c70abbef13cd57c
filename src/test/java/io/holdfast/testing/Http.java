package io.holdfast.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A plain HTTP client without knowledge of the service.
public final class Http {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  private static final ObjectMapper JSON = new ObjectMapper();

  private Http() {}

  public static HttpResponse<String> get(URI base, String path, String... headers) {
    return send(request(base, path, headers).GET().build());
  }

  public static HttpResponse<String> post(URI base, String path, String body, String... headers) {
    return send(base, "POST", path, body, headers);
  }

  public static HttpResponse<String> send(
      URI base, String method, String path, String body, String... headers) {
    return send(
        request(base, path, headers)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  public static HttpResponse<String> delete(URI base, String path, String... headers) {
    return send(request(base, path, headers).DELETE().build());
  }

  /// A body without Content-Length.
  public static HttpResponse<String> postChunked(
      URI base, String path, String body, String... headers) {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    return send(
        request(base, path, headers)
            .version(HttpClient.Version.HTTP_1_1)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)))
            .build());
  }

  /// A body that is declared as text.
  public static HttpResponse<String> plain(URI base, String path, String body, String... headers) {
    return send(
        request(base, path, headers)
            .header("Content-Type", "text/plain")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  public static JsonNode json(HttpResponse<String> response) {
    return json(response.body());
  }

  public static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON: " + text, e);
    }
  }

  private static HttpRequest.Builder request(URI base, String path, String... headers) {
    var request = HttpRequest.newBuilder(base.resolve(path)).timeout(Duration.ofSeconds(30));
    return headers.length == 0 ? request : request.headers(headers);
  }

  private static HttpResponse<String> send(HttpRequest request) {
    try {
      return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
