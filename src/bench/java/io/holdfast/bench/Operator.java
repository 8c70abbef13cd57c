package io.holdfast.bench;

import io.holdfast.load.HoldTexts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;

/// Requests between the turns: new pools, single holds.
final class Operator {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration AUCTION = Duration.ofDays(1); // longer than any run
  private static final int CREATED = 201;
  private static final int NOT_YET = 503;

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI base;

  Operator(URI base) {
    this.base = base;
  }

  void makePool(String pool, long items) {
    makePool(pool, HoldTexts.newPool(pool, items));
  }

  void makeStock(String pool, long capacity) {
    makePool(pool, HoldTexts.newStock(pool, capacity));
  }

  void makeRoom(String pool) {
    makePool(pool, HoldTexts.newRoom(pool));
  }

  void makeAuction(String pool) {
    makePool(pool, HoldTexts.newAuction(pool, Instant.now().plus(AUCTION)));
  }

  private void makePool(String pool, String body) {
    var answer = post("/v1/pools", "make-" + pool, body);
    if (answer.statusCode() != CREATED) {
      throw refusal("pool " + pool, answer);
    }
  }

  /// Registers a webhook for all sales.
  void register(String url) {
    var body = "{\"url\":\"%s\",\"types\":[\"hold.confirmed\"]}".formatted(url);
    var answer = post("/v1/webhooks", "register-" + url, body);
    if (answer.statusCode() != CREATED) {
      throw refusal("webhook " + url, answer);
    }
  }

  /// Waits while the pool is still being seeded.
  void place(String pool, String item, String requester, String token) {
    placed(pool, token, HoldTexts.body(requester, item));
  }

  /// Waits while the rows of the pool are still being read.
  void placeBest(String pool, String requester, String token) {
    placed(pool, token, "{\"requester\":\"%s\",\"bestAvailable\":2}".formatted(requester));
  }

  /// Waits while the pool is still being seeded.
  void placeUnit(String pool, String requester, String token) {
    placed(pool, token, "{\"requester\":\"%s\",\"quantity\":1}".formatted(requester));
  }

  /// The first reservation of a type makes its pool. Waits while that is being seeded.
  void reserve(String type, String value, String token) {
    var body = "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":1200000}".formatted(type, value);
    awaitFirst(type, "/v1/reservations", token, body);
  }

  /// Waits while the pool is still being seeded.
  void join(String pool, String requester, String token) {
    awaitFirst(
        pool, "/v1/pools/" + pool + "/queue", token, "{\"requester\":\"%s\"}".formatted(requester));
  }

  /// Waits while the pool is still being seeded.
  void bid(String auction, String requester, String token) {
    var body = "{\"requester\":\"%s\",\"amountCents\":1}".formatted(requester);
    awaitFirst(auction, "/v1/pools/" + auction + "/bids", token, body);
  }

  private void placed(String pool, String token, String body) {
    awaitFirst(pool, "/v1/pools/" + pool + "/holds", token, body);
  }

  private void awaitFirst(String pool, String path, String token, String body) {
    Waiting.until(
        PATIENCE,
        "a first hold of pool " + pool + " is there",
        () -> isPlaced(post(path, token, body)));
  }

  private static boolean isPlaced(HttpResponse<String> answer) {
    if (answer.statusCode() != CREATED && answer.statusCode() != NOT_YET) {
      throw refusal("a first hold", answer);
    }
    return answer.statusCode() == CREATED;
  }

  private HttpResponse<String> post(String path, String token, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", token)
            .POST(BodyPublishers.ofString(body))
            .build());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(base.resolve(path))
        .timeout(PATIENCE)
        .header("Authorization", "Bearer " + Launch.KEY);
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static IllegalStateException refusal(String what, HttpResponse<String> answer) {
    return new IllegalStateException(
        "%s was answered %d %s".formatted(what, answer.statusCode(), answer.body()));
  }
}
