package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The records say how often the answer of a token was repeated, and when last. Counting changes
/// neither the answer nor the entry.
@ExtendWith(RealServers.class)
class ReplaysOnRecordTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static TestServers servers;
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
    records = new Records(given, api);
  }

  @Test
  @Requirement({"AU-8", "IR-GA-4", "IR-INV-6"})
  void the_repetitions_of_a_hold_are_counted_and_leave_its_entry_as_it_was() {
    var pool = api.pool(1);
    var token = Api.token();
    var first = api.place(pool, token, "ann", "A-1");
    var entry = new RedisTokens(servers, pool).entry(token);

    var replays = repeat(3, () -> api.place(pool, token, "ann", "A-1"));

    assertThat(attempts(pool, token)).isEqualTo(4);
    assertThat(replays).allMatch(Api::isReplay).allMatch(each -> each.body().equals(first.body()));
    assertThat(new RedisTokens(servers, pool).entry(token)).isEqualTo(entry);
    assertThat(records.words(pool).stream().filter("HELD"::equals)).hasSize(1);
    Await.until(PATIENCE, () -> replaySteps(pool, token).size() == 1);
    var step = replaySteps(pool, token).getFirst();
    assertThat(step.get("detail").asText()).startsWith("3 times since ");
    assertThat(step.get("action").asText()).isEqualTo("place_hold");
    assertThat(Instant.parse(step.get("at").asText()))
        .isAfter(Api.time(first, "placedAt"))
        .isBefore(Instant.now().plusSeconds(1));
  }

  @Test
  @Requirement("AU-8")
  void confirms_releases_and_expiries_are_counted_too() {
    var pool = api.pool(3);
    var sold = api.hold(pool, "ann", "A-1");
    var released = api.hold(pool, "ben", "A-2");
    var expired = api.hold(pool, "cas", "A-3");
    var tokens = List.of(Api.token(), Api.token(), Api.token());

    repeat(3, () -> api.confirm(sold, tokens.get(0), "ann", "order-1"));
    repeat(4, () -> api.release(released.id(), tokens.get(1), "ben"));
    repeat(5, () -> api.expire(expired.id(), tokens.get(2), true));

    assertThat(tokens).extracting(token -> attempts(pool, token)).containsExactly(3L, 4L, 5L);
    Await.until(PATIENCE, () -> holdSteps(sold.id(), "replay").size() == 1);
    assertThat(holdSteps(sold.id(), "replay").getFirst().get("detail").asText())
        .startsWith("2 times");
  }

  @Test
  @Requirement("AU-8")
  void a_replay_of_a_sale_by_postgres_is_counted_and_is_no_attempt() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var first = api.confirm(hold, token, "ann", "order-1");
    assertThat(new RedisTokens(servers, pool).lose(token)).isPositive();

    var again = repeat(3, () -> api.confirm(hold, token, "ann", "order-1"));

    assertThat(again).allMatch(Api::isReplay).allMatch(each -> each.body().equals(first.body()));
    assertThat(attempts(pool, token)).isEqualTo(4);
    assertThat(records.texts("SELECT outcome FROM attempt WHERE pool = ?", pool))
        .containsExactly("CONFIRMED");
  }

  @Test
  void the_same_purchase_under_a_fresh_token_is_not_a_replay_of_that_token() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var fresh = Api.token();
    api.confirm(hold, Api.token(), "ann", "order-1");

    var again = api.confirm(hold, fresh, "ann", "order-1");

    assertThat(Api.isReplay(again)).isTrue();
    assertThat(attempts(pool, fresh)).isOne();
  }

  @Test
  @Requirement("AU-8")
  void a_storm_of_replays_is_one_row_and_no_line() {
    var pool = api.pool(1);
    var token = Api.token();
    api.place(pool, token, "ann", "A-1");

    var answers = Together.run(200, _ -> api.place(pool, token, "ann", "A-1"));

    assertThat(answers).allMatch(Api::isReplay);
    var rows = "SELECT replays FROM token_replay WHERE pool = ?";
    Await.until(PATIENCE, () -> records.texts(rows, pool).equals(List.of("200")));
    assertThat(records.texts("SELECT word FROM journal WHERE token = ?::bytea", token))
        .containsExactly("HELD");
  }

  @Test
  @Requirement("AU-8")
  void a_token_that_is_used_again_after_its_window_has_replays_of_its_own() {
    var pool = api.pool(1, "{\"idempotencyWindowSeconds\":1}");
    var token = Api.token();
    var first = api.place(pool, token, "ann", "A-1");
    repeat(2, () -> api.place(pool, token, "ann", "A-1"));
    var uses = "SELECT replays FROM token_replay WHERE pool = ? ORDER BY used_at";
    Await.until(PATIENCE, () -> records.texts(uses, pool).equals(List.of("2")));
    api.release(Api.Hold.of(first).id(), Api.token(), "ann");
    var window = new RedisTokens(servers, pool);
    window.age(token, Duration.ofSeconds(1));

    var second = api.place(pool, token, "ann", "A-1");
    records.words(pool);
    repeat(1, () -> api.place(pool, token, "ann", "A-1"));

    assertThat(Api.isReplay(second)).isFalse();
    Await.until(PATIENCE, () -> records.texts(uses, pool).size() > 1);
    assertThat(records.texts(uses, pool)).containsExactly("2", "1");
  }

  @Test
  @Requirement("AU-8")
  void a_replay_is_answered_and_counted_while_redis_refuses_writes() {
    var pool = api.pool(2);
    var token = Api.token();
    var first = api.place(pool, token, "ann", "A-1");
    records.words(pool);

    HttpResponse<String> refused;
    List<HttpResponse<String>> replays;
    servers.redis(redis -> redis.configSet("min-replicas-to-write", "1"));
    try {
      refused = api.place(pool, Api.token(), "ben", "A-2");
      replays = repeat(2, () -> api.place(pool, token, "ann", "A-1"));
    } finally {
      servers.redis(redis -> redis.configSet("min-replicas-to-write", "0"));
    }

    assertThat(refused.statusCode()).as("writes were refused").isEqualTo(503);
    assertThat(replays).allMatch(Api::isReplay).allMatch(each -> each.body().equals(first.body()));
    Await.until(PATIENCE, () -> attempts(pool, token) == 3);
  }

  @Test
  @Requirement("AU-8")
  void an_instance_that_stops_has_put_its_count_on_record(@TempDir Path folder) {
    var pool = api.pool(1);
    var token = Api.token();
    api.place(pool, token, "ann", "A-1");
    records.words(pool);

    try (var service = Instances.start(servers, folder, Map.of())) {
      var other = new Api(service.http(), api.key());
      assertThat(repeat(5, () -> other.place(pool, token, "ann", "A-1"))).allMatch(Api::isReplay);
    }

    assertThat(records.texts("SELECT replays FROM token_replay WHERE pool = ?", pool))
        .containsExactly("5");
  }

  /// A refused confirm, then a sale, then a hold: each under the same token after the window of the
  /// one before.
  @Test
  @Requirement("AU-8")
  void the_executions_of_an_earlier_use_of_a_token_are_no_attempts_of_the_present_one() {
    var pool = api.pool(2, "{\"idempotencyWindowSeconds\":1,\"commitWindowSeconds\":1}");
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var stale = new Api.Hold(hold.id(), hold.fence() + 1);
    var key = ",\"logicalKey\":\"order/1\"";

    var refused = api.confirm(stale, token, "ann", "order-1");
    Await.until(
        PATIENCE, () -> api.confirm(hold, token, "ann", "order-1", key).statusCode() == 200);
    var ofSale = attempts(pool, token);
    Await.until(PATIENCE, () -> api.place(pool, token, "ben", "A-2").statusCode() == 201);
    records.words(pool);

    assertThat(Api.code(refused)).isEqualTo("stale-fence");
    assertThat(ofSale).isOne();
    assertThat(attempts(pool, token)).isOne();
    var byKey = Http.json(api.get("/v1/operations?pool=" + pool + "&logicalKey=order%2F1"));
    assertThat(byKey.get("attempts").asLong()).isOne();
  }

  @Test
  void a_count_on_record_never_falls() {
    var pool = api.pool(1);
    var token = Api.token();
    repeat(3, () -> api.place(pool, token, "ann", "A-1"));
    var rows = "SELECT replays FROM token_replay WHERE pool = ?";
    Await.until(PATIENCE, () -> records.texts(rows, pool).equals(List.of("2")));

    assertThatThrownBy(
            () ->
                records.texts(
                    "UPDATE token_replay SET replays = 1 WHERE pool = ? RETURNING replays", pool))
        .hasRootCauseInstanceOf(SQLException.class)
        .hasStackTraceContaining("never falls");
  }

  private static <T> List<T> repeat(int times, Supplier<T> call) {
    return new ArrayList<>(IntStream.range(0, times).mapToObj(_ -> call.get()).toList());
  }

  private static long attempts(String pool, String token) {
    var known = api.get("/v1/operations/" + token + "?pool=" + pool);
    assertThat(known.statusCode()).as(known.body()).isEqualTo(200);
    return Http.json(known).get("attempts").asLong();
  }

  private static List<JsonNode> replaySteps(String pool, String token) {
    return steps("/v1/audit/tokens/" + token + "?pool=" + pool, "replay");
  }

  private static List<JsonNode> holdSteps(String holdId, String source) {
    return steps("/v1/audit/holds/" + holdId, source);
  }

  private static List<JsonNode> steps(String path, String source) {
    var found = new ArrayList<JsonNode>();
    for (var step : Http.json(api.get(path)).get("steps")) {
      if (step.get("source").asText().equals(source)) {
        found.add(step);
      }
    }
    return found;
  }
}
