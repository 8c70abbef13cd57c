package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The history of a hold and the uses of a token, from the records alone.
@ExtendWith(RealServers.class)
class HistoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int STORM = 60;

  @Test
  @Requirement({"IR-GA-1", "IR-GA-3", "IR-SD-3"})
  void the_history_of_a_sale_has_tokens_attempts_fences_and_times(Service service) {
    var api = Api.of(service);
    var hold = api.hold(api.pool(2), "anna", "A-1", "A-2");
    api.confirm(hold, "pay-1", "anna", "order-1", ",\"attemptId\":\"first\"");
    api.confirm(hold, "pay-2", "anna", "order-1", ",\"attemptId\":\"second\"");
    Await.until(PATIENCE, () -> steps(api, hold.id()).contains("journal CONFIRMED"));

    var trail = Http.json(api.get("/v1/audit/holds/" + hold.id()));

    assertThat(steps(api, hold.id()))
        .contains(
            "hold PLACED",
            "journal HELD",
            "attempt CONFIRMED",
            "commitment SOLD",
            "hold CONFIRMED",
            "verification PASSED",
            "journal CONFIRMED");
    var attempts = having(trail, "attempt");
    assertThat(attempts)
        .extracting(s -> s.get("attempt").asText())
        .containsExactly("first", "second");
    assertThat(attempts).extracting(s -> s.get("token").asText()).containsExactly("pay-1", "pay-2");
    assertThat(having(trail, "commitment"))
        .hasSize(2)
        .allMatch(s -> s.get("fence").asLong() == hold.fence())
        .allMatch(s -> s.get("token").asText().equals("pay-1"))
        .allMatch(s -> s.get("at").asText().matches("20[0-9T:.-]+\\.[0-9]{3}Z"));
  }

  @Test
  void every_use_of_a_token_is_listed(Service service) {
    var api = Api.of(service);
    var pool = api.pool(1);
    var hold = api.hold(pool, "anna", "A-1");
    var token = "pay a+b/ü";
    var path = "/v1/audit/tokens/pay%20a%2Bb%2F%C3%BC?pool=" + pool;
    api.post(
        "/v1/holds/" + hold.id() + "/confirm",
        "\"pay a+b/x\"",
        "{\"requester\":\"anna\",\"fence\":%d,\"orderId\":\"o\"}".formatted(hold.fence()));

    var asked = path.replace("%C3%BC", "x");
    Await.until(PATIENCE, () -> words(api, asked).contains("journal CONFIRMED"));

    assertThat(words(api, asked))
        .contains("entry CONFIRMED", "attempt CONFIRMED", "consumed CONSUMED");
    assertThat(words(api, path)).as(token).isEmpty();
  }

  /// The journal counts the refusals of a storm in few lines, and each token is still found.
  @Test
  @Requirement("IR-CFR-03")
  void every_refusal_of_a_storm_is_listed_under_its_token(TestServers servers, Service service) {
    var api = Api.of(service);
    var pool = api.pool(1);
    api.hold(pool, "anna", "A-1");
    var rows = Rows.of(servers);
    Together.run(STORM, n -> api.place(pool, "storm-" + n, "bot-" + n, "A-1"))
        .forEach(refused -> assertThat(refused.statusCode()).isEqualTo(409));
    Await.until(
        PATIENCE,
        () -> rows.number("SELECT count(*) FROM token_result WHERE pool = ?", pool) == STORM + 1);

    assertThat(rows.number("SELECT count(*) FROM journal WHERE pool = ?", pool))
        .isLessThan(STORM / 2);
    for (var n = 0; n < STORM; n++) {
      assertThat(words(api, "/v1/audit/tokens/storm-" + n + "?pool=" + pool))
          .containsExactlyInAnyOrder("journal TAKEN", "entry TAKEN");
    }
  }

  @Test
  @Requirement("IR-EC-05")
  void after_its_window_a_token_is_fresh_and_its_outcome_is_on_record(
      TestServers servers, Service service) {
    var api = Api.of(service);
    var pool = api.pool(2, "{\"idempotencyWindowSeconds\":1,\"commitWindowSeconds\":1}");
    var token = Api.token();
    var hold = Api.Hold.of(api.place(pool, token, "anna", "A-1"));
    var key = "/v1/operations?pool=" + pool + "&logicalKey=order%2F9";
    var more = ",\"logicalKey\":\"order/9\"";
    var sale = api.confirm(hold, Api.token(), "anna", "order-1", more);
    Await.until(PATIENCE, () -> steps(api, hold.id()).contains("journal CONFIRMED"));
    var alive =
        "SELECT count(*) FROM token_result WHERE pool = ? AND window_until > clock_timestamp()";
    Await.until(PATIENCE, () -> Rows.of(servers).number(alive, pool) == 0);
    var shown = api.get("/v1/audit/duplicates?limit=500").body();

    assertThat(shown).doesNotContain(token);
    assertThat(Http.json(api.get(key)).get("result").get("body")).isEqualTo(Http.json(sale));
    assertThat(steps(api, hold.id())).contains("journal HELD", "commitment SOLD");
    assertThat(words(api, "/v1/audit/tokens/" + token + "?pool=" + pool)).contains("journal HELD");
    var fresh = api.place(pool, token, "anna", "A-1");
    assertThat(Api.code(fresh)).isEqualTo("resource-unavailable");
    assertThat(Api.isReplay(fresh)).isFalse();
  }

  /// "You charged me twice": for one token the records have one sale and its replays, for two
  /// tokens they have two sales.
  @Test
  @Requirement("IR-ADV-2")
  void two_charges_are_two_sales_under_two_tokens_or_one_sale_and_its_replays(Service service) {
    var api = Api.of(service);
    var pool = api.pool(2);
    var first = api.hold(pool, "anna", "A-1");
    var second = api.hold(pool, "anna", "A-2");
    var retried = Api.token();
    var other = Api.token();
    for (var call = 0; call < 3; call++) {
      assertThat(api.confirm(first, retried, "anna", "order-1").statusCode()).isEqualTo(200);
    }
    assertThat(api.confirm(second, other, "anna", "order-2").statusCode()).isEqualTo(200);
    var ofRetried = "/v1/audit/tokens/" + retried + "?pool=" + pool;
    var ofOther = "/v1/audit/tokens/" + other + "?pool=" + pool;
    Await.until(PATIENCE, () -> replays(api, ofRetried).startsWith("2 times since "));
    for (var path : List.of(ofRetried, ofOther)) {
      Await.until(PATIENCE, () -> words(api, path).contains("journal CONFIRMED"));
    }

    var sale = Http.json(api.get("/v1/audit/holds/" + first.id()));
    var otherSale = Http.json(api.get("/v1/audit/holds/" + second.id()));

    assertThat(words(api, ofRetried))
        .containsExactlyInAnyOrder(
            "attempt CONFIRMED",
            "consumed CONSUMED",
            "entry CONFIRMED",
            "journal CONFIRMED",
            "replay REPLAYED");
    assertThat(words(api, ofOther))
        .containsExactlyInAnyOrder(
            "attempt CONFIRMED", "consumed CONSUMED", "entry CONFIRMED", "journal CONFIRMED");
    assertThat(tokens(sale, "commitment")).containsExactly(retried);
    assertThat(tokens(sale, "replay")).containsExactly(retried);
    assertThat(tokens(otherSale, "commitment")).containsExactly(other);
    assertThat(tokens(otherSale, "replay")).isEmpty();
  }

  /// The seat is free by the time of the retries: a second decision would be another one.
  @Test
  @Requirement("IR-GA-4")
  void a_refusal_and_its_retries_are_one_decision_and_one_entry(Service service) {
    var api = Api.of(service);
    var pool = api.pool(1);
    var token = Api.token();
    var other = api.hold(pool, "berta", "A-1");
    var refused = api.place(pool, token, "anna", "A-1");
    api.release(other.id(), Api.token(), "berta");

    for (var retry = 0; retry < 5; retry++) {
      assertThat(api.place(pool, token, "anna", "A-1").body()).isEqualTo(refused.body());
    }
    api.get("/v1/pools/" + pool + "/holds"); // brings the journal to Postgres
    var path = "/v1/audit/tokens/" + token + "?pool=" + pool;
    Await.until(PATIENCE, () -> replays(api, path).startsWith("5 times since "));

    assertThat(words(api, path))
        .containsExactlyInAnyOrder("journal TAKEN", "entry TAKEN", "replay REPLAYED");
    var placed = Http.json(api.get("/v1/pools/" + pool + "/holds?requester=anna"));
    assertThat(placed.findValues("holdId")).isEmpty();
  }

  @Test
  void an_unrecorded_hold_or_token_is_not_known(Service service) {
    var api = Api.of(service);

    assertThat(api.get("/v1/audit/holds/nothing").statusCode()).isEqualTo(404);
    assertThat(api.get("/v1/audit/holds/arena~1z141z5~0123456789abcdef").statusCode())
        .isEqualTo(404);
    assertThat(api.get("/v1/audit/tokens/t?pool=no+pool").statusCode()).isEqualTo(400);
    assertThat(api.as("seller", "hold").get("/v1/audit/holds/nothing").statusCode()).isEqualTo(403);
  }

  private static List<String> steps(Api api, String hold) {
    return words(api, "/v1/audit/holds/" + hold);
  }

  private static List<String> words(Api api, String path) {
    var answer = api.get(path);
    var words = new ArrayList<String>();
    Http.json(answer)
        .path("steps")
        .forEach(s -> words.add(s.get("source").asText() + " " + s.get("word").asText()));
    return words;
  }

  /// How often the answer of a token was repeated; empty if never.
  private static String replays(Api api, String path) {
    return having(Http.json(api.get(path)), "replay").stream()
        .map(step -> step.get("detail").asText())
        .collect(Collectors.joining());
  }

  private static List<String> tokens(JsonNode trail, String source) {
    return having(trail, source).stream().map(step -> step.get("token").asText()).toList();
  }

  private static List<JsonNode> having(JsonNode trail, String source) {
    var steps = new ArrayList<JsonNode>();
    trail.path("steps").forEach(s -> steps.add(s));
    return steps.stream().filter(s -> s.get("source").asText().equals(source)).toList();
  }
}
