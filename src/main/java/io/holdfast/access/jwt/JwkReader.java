package io.holdfast.access.jwt;

import com.nimbusds.jose.jwk.JWKSet;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Reads the public keys from where the settings say. For threads that may block.
final class JwkReader {
  private static final int BYTES_MAX = 512 * 1024;
  private static final Duration CONNECT_MAX = Duration.ofSeconds(2);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

  private final String from;
  private final HttpClient client;

  JwkReader(String from) {
    this.from = from;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_MAX)
            .build();
  }

  boolean isFile() {
    return !JwtSettings.isUrl(from);
  }

  String from() {
    return from;
  }

  /// Without what only its owner should know, should somebody have put it there.
  ///
  /// @throws IOException with a sentence about what is wrong
  JWKSet read() throws IOException {
    try {
      return JWKSet.parse(isFile() ? fromFile() : fromUrl()).toPublicJWKSet();
    } catch (ParseException | IllegalArgumentException | IllegalStateException e) {
      throw new IOException("it is no JSON Web Key Set", e);
    }
  }

  private String fromFile() throws IOException {
    try (var in = Files.newInputStream(Path.of(from))) {
      return text(in.readNBytes(BYTES_MAX + 1));
    }
  }

  /// The client's own time limit ends with the headers; a body that never ends would be waited for
  /// as long.
  private String fromUrl() throws IOException {
    var request =
        HttpRequest.newBuilder(URI.create(from))
            .header("Accept", "application/jwk-set+json, application/json")
            .build();
    var asked =
        client.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), BYTES_MAX));
    try {
      var answer = asked.get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
      if (answer.statusCode() != 200) {
        throw new IOException("the answer is " + answer.statusCode());
      }
      return text(answer.body());
    } catch (TimeoutException e) {
      throw new IOException("there was no whole answer within " + ANSWER_MAX.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      asked.cancel(true);
    }
  }

  private static String text(byte[] bytes) throws IOException {
    if (bytes.length > BYTES_MAX) {
      throw new IOException("it has more than " + BYTES_MAX + " bytes");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
