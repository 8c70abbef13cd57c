package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Checkouts as a client sees them; every seat costs 50 euros.
public record Checkouts(Api api) {
  public static final int PRICE = 5_000;

  /// A new pool of seats `A-1` to `A-n`.
  public String pool(int items, String policy) {
    var name = "pool-" + UUID.randomUUID();
    var seats =
        IntStream.rangeClosed(1, items)
            .mapToObj("{\"item\":\"A-%d\",\"priceCents\":5000}"::formatted)
            .collect(Collectors.joining(","));
    var made =
        api.post(
            "/v1/pools",
            Api.token(),
            "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":[%s],\"policy\":%s}"
                .formatted(name, seats, policy));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return name;
  }

  public static String body(Hold hold, String requester, String method, long cents) {
    return """
    {"holdId":"%s","requester":"%s","fence":%d,
     "payment":{"provider":"simulator","method":"%s","amountCents":%d,"currency":"EUR"}}\
    """
        .formatted(hold.id(), requester, hold.fence(), method, cents);
  }

  public HttpResponse<String> begin(String token, String body, String... headers) {
    var all =
        Stream.concat(
                List.of("Authorization", "Bearer " + api.key(), "Idempotency-Key", token).stream(),
                Arrays.stream(headers))
            .toArray(String[]::new);
    return Http.post(api.base(), "/v1/checkouts", body, all);
  }

  /// To its end.
  public HttpResponse<String> pay(Hold hold, String requester, String method, long cents) {
    return begin(Api.token(), body(hold, requester, method, cents), "Prefer", "wait=30");
  }

  public JsonNode read(String checkoutId) {
    return Http.json(api.get("/v1/checkouts/" + checkoutId));
  }

  public String awaitState(String checkoutId, String... states) {
    Await.until(
        Duration.ofSeconds(60),
        () -> List.of(states).contains(read(checkoutId).get("state").asText()));
    return read(checkoutId).get("state").asText();
  }

  public void assertNothingIsLost() {
    var report = Http.json(api.get("/v1/audit/report"));
    for (var check : report.get("checks")) {
      assertThat(check.get("violations").asLong())
          .as(check.get("id").asText() + ": " + check.get("statement").asText())
          .isZero();
    }
  }
}
