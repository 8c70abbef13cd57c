package io.holdfast.onsale;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// The calls of all visitors. A bounded number is under way at once, and a call that got no
/// definite answer (503) is sent again with the same token.
final class OnSaleClient {
  private static final int CALLS_MAX = 64;
  private static final int ATTEMPTS_MAX = 20;
  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final Duration PASS = Duration.ofSeconds(8);
  private static final int UNAVAILABLE = 503;
  private static final int TOO_MANY = 429;

  private final Api api;
  private final Checkouts checkouts;
  private final String pool;
  private final Semaphore calls = new Semaphore(CALLS_MAX, true);
  private final AtomicLong repeated = new AtomicLong();

  private OnSaleClient(Api api, String pool) {
    this.api = api;
    this.checkouts = new Checkouts(api);
    this.pool = pool;
  }

  /// Makes the pool.
  static OnSaleClient open(Api api, OnSalePlan.Size size) {
    var policy =
        """
        {"waitingRoom":true,"maxInside":%d,"graceSeconds":%d,"passSeconds":%d,"leaseSeconds":%d,\
        "windowSeconds":60,"heartbeatSeconds":1,"maxHoldsPerRequester":1}\
        """
            .formatted(
                size.maxInside(), size.grace().toSeconds(), PASS.toSeconds(), LEASE.toSeconds());
    return new OnSaleClient(api, new Checkouts(api).pool(size.seats(), policy));
  }

  String pool() {
    return pool;
  }

  Duration lease() {
    return LEASE;
  }

  /// Calls that were sent again.
  long repeated() {
    return repeated.get();
  }

  String join(String requester) {
    var path = "/v1/pools/" + pool + "/queue";
    var body = "{\"requester\":\"%s\"}".formatted(requester);
    var joined = call(token -> api.post(path, token, body));
    return expected(joined, 201).get("ticket").asText();
  }

  JsonNode look(String ticket) {
    return expected(call(_ -> api.get("/v1/queue/" + ticket)), 200);
  }

  /// Whether every seat is sold, so that nobody who is inside gets one any more.
  boolean isSoldOut() {
    var counts = expected(call(_ -> api.get("/v1/pools/" + pool)), 200).get("counts");
    return counts.get("free").asLong() == 0 && counts.get("held").asLong() == 0;
  }

  void leave(String ticket) {
    expected(call(token -> api.delete("/v1/queue/" + ticket, token)), 200);
  }

  HttpResponse<String> hold(String requester, String pass, int seats) {
    var body = "{\"requester\":\"%s\",\"bestAvailable\":%d}".formatted(requester, seats);
    return call(
        token ->
            Http.post(
                api.base(),
                "/v1/pools/" + pool + "/holds",
                body,
                "Authorization",
                "Bearer " + api.key(),
                "Idempotency-Key",
                token,
                "Waiting-Room-Pass",
                pass));
  }

  HttpResponse<String> confirm(Hold hold, String requester) {
    return call(token -> api.confirm(hold, token, requester, "order-" + hold.fence()));
  }

  HttpResponse<String> pay(Hold hold, String requester, long cents) {
    var body = Checkouts.body(hold, requester, "ok", cents);
    return call(token -> checkouts.begin(token, body, "Prefer", "wait=20"));
  }

  void release(Hold hold, String requester) {
    call(token -> api.release(hold.id(), token, requester));
  }

  private HttpResponse<String> call(Function<String, HttpResponse<String>> call) {
    var token = Api.token();
    for (var i = 1; ; i++) {
      var answer = bounded(call, token);
      var isToRepeat = answer.statusCode() == UNAVAILABLE || answer.statusCode() == TOO_MANY;
      if (!isToRepeat || i == ATTEMPTS_MAX) {
        return answer;
      }
      repeated.incrementAndGet();
      sleep();
    }
  }

  private HttpResponse<String> bounded(Function<String, HttpResponse<String>> call, String token) {
    calls.acquireUninterruptibly();
    try {
      return call.apply(token);
    } finally {
      calls.release();
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode expected(HttpResponse<String> answer, int status) {
    if (answer.statusCode() != status) {
      throw new IllegalStateException(
          "%s was answered %d %s"
              .formatted(answer.request().uri(), answer.statusCode(), answer.body()));
    }
    return Http.json(answer);
  }
}
