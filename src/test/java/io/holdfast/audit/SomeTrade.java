package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Trade of every kind, so that each check of the auditor has records to examine.
final class SomeTrade {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String STREAM =
      """
      {"entityType":"User","businessKey":["anna"],"field":"username","expectedVersion":0,
       "events":[{"type":"A","data":{}},{"type":"B","data":{}},{"type":"C","data":{}}]}
      """;

  private SomeTrade() {}

  /// Returns when all of it is in Postgres.
  static void of(Api api, Rows rows) {
    var pool = api.pool(4);
    var sold = api.hold(pool, "carl", "A-1", "A-2");
    var token = Api.token();
    api.confirm(sold, token, "carl", "order-1");
    api.confirm(sold, token, "carl", "order-1");
    var released = api.hold(pool, "berta", "A-3");
    api.release(released.id(), Api.token(), "berta");
    var live = api.hold(pool, "anna", "A-4");
    api.post("/v1/streams", Api.token(), STREAM);
    auction(api);
    admit(api);
    sellUnits(api);
    checkOut(api, rows);
    Await.until(
        PATIENCE,
        () ->
            rows.stateOf(live).equals("HELD")
                && rows.stateOf(released).equals("RELEASED")
                && rows.number("SELECT count(*) FROM journal WHERE word = 'CONFIRMED'") > 0
                && rows.number("SELECT count(*) FROM ticket WHERE state = 'LEFT'") > 0);
  }

  /// Two of three units.
  private static void sellUnits(Api api) {
    api.post("/v1/pools", Api.token(), "{\"pool\":\"lawn-2\",\"kind\":\"STOCK\",\"capacity\":3}");
    var body = "{\"requester\":\"dora\",\"quantity\":2}";
    var hold = Hold.of(api.post("/v1/pools/lawn-2/holds", Api.token(), body));
    assertThat(api.confirm(hold, Api.token(), "dora", "order-2").statusCode()).isEqualTo(200);
  }

  /// One checkout that was paid and one whose capture has failed.
  private static void checkOut(Api api, Rows rows) {
    var checkouts = new Checkouts(api);
    var pool = checkouts.pool(2, "{}");
    checkouts.pay(api.hold(pool, "eve", "A-1"), "eve", "ok", Checkouts.PRICE);
    checkouts.pay(api.hold(pool, "fay", "A-2"), "fay", "fail-capture", Checkouts.PRICE);
    assertThat(rows.texts("SELECT phase FROM checkout ORDER BY phase"))
        .containsExactly("COMPENSATED", "DONE");
  }

  /// One of four has left, the others are admitted.
  private static void admit(Api api) {
    var room = "/v1/pools/" + api.pool(9, "{\"waitingRoom\":true}");
    for (var requester : List.of("u1", "u2", "u3", "u4")) {
      var body = "{\"requester\":\"%s\"}".formatted(requester);
      var joined = api.post(room + "/queue", Api.token(), body);
      if (requester.equals("u2")) {
        api.delete("/v1/queue/" + Http.json(joined).get("ticket").asText(), Api.token());
      }
    }
    api.post(room + "/admissions", Api.token(), "{\"count\":2}");
    api.post(room + "/admissions", Api.token(), "{\"count\":2}");
  }

  /// Two equal bids, a lower one, one that was withdrawn and one that was raised.
  private static void auction(Api api) {
    var closesAt = Instant.now().plus(Duration.ofHours(1));
    api.post(
        "/v1/pools",
        Api.token(),
        "{\"pool\":\"lot-1\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":1}"
            .formatted(closesAt));
    bid(api, "first", 500);
    bid(api, "later", 500);
    bid(api, "low", 300);
    bid(api, "low", 400);
    var withdrawn = Http.json(bid(api, "gone", 800)).get("bidId").asText();
    api.release(withdrawn, Api.token(), "gone");
    var token = Api.token();
    var closed = RetryingClient.decided(() -> api.post("/v1/pools/lot-1/close", token, "{}"));
    assertThat(closed.body()).contains("first");
  }

  private static HttpResponse<String> bid(Api api, String requester, long amountCents) {
    return api.post(
        "/v1/pools/lot-1/bids",
        Api.token(),
        "{\"requester\":\"%s\",\"amountCents\":%d}".formatted(requester, amountCents));
  }
}
