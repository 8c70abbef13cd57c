package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A token is guarded from its first call until its window ends, however often it is repeated.
/// After that it is unused again.
@ExtendWith(RealServers.class)
class TokenWindowTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String SHORT = "{\"idempotencyWindowSeconds\":3}";

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
  @Requirement({"IR-INV-6", "IR-INV-7a", "IR-ST-09"})
  void repetitions_do_not_move_the_end_of_the_window() {
    var pool = api.pool(1, SHORT);
    var token = Api.token();
    var first = api.place(pool, token, "ann", "A-1");
    api.release(Api.Hold.of(first).id(), Api.token(), "ann");

    Await.until(PATIENCE, () -> !Api.isReplay(api.place(pool, token, "ann", "A-1")));
    var replay = api.place(pool, token, "ann", "A-1");

    assertThat(replay.statusCode()).isEqualTo(201);
    assertThat(Api.Hold.of(replay).id()).isNotEqualTo(Api.Hold.of(first).id());
    assertThat(Duration.between(Api.time(first, "placedAt"), Api.time(replay, "placedAt")))
        .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
    assertThat(records.words(pool).stream().filter("HELD"::equals)).hasSize(2);
  }

  @Test
  @Requirement("IR-INV-7c")
  void a_stored_answer_of_an_elapsed_token_is_not_served() {
    var pool = api.pool(1, SHORT);
    var token = Api.token();
    var other = api.hold(pool, "ben", "A-1");
    var refused = api.place(pool, token, "ann", "A-1");
    api.release(other.id(), Api.token(), "ben");
    records.words(pool);

    var late =
        "SELECT 1 FROM token_result WHERE pool = ? AND outcome LIKE 'TAKEN%'"
            + " AND window_until < clock_timestamp() - interval '50 ms'";
    Await.until(PATIENCE, () -> records.texts(late, pool).size() == 1);
    var placed = api.place(pool, token, "ann", "A-1");

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(placed.statusCode()).isEqualTo(201);
    assertThat(Api.isReplay(placed)).isFalse();
  }

  @Test
  @Requirement("IR-INV-7b")
  void guard_and_answer_are_one_entry_that_ends_as_a_whole() {
    var pool = api.pool(1);
    var token = Api.token();
    api.place(pool, token, "ann", "A-1");
    var tokens = new RedisTokens(servers, pool);

    var entry = tokens.entry(token).orElseThrow();
    tokens.age(token, tokens.window().dividedBy(2));
    var inside = api.place(pool, token, "ann", "A-1");
    tokens.age(token, tokens.window().dividedBy(2));
    var outside = api.place(pool, token, "ann", "A-1");

    assertThat(entry).contains("\tplace_hold\t1.2:").contains("\tHELD\t");
    assertThat(inside.statusCode()).isEqualTo(201);
    assertThat(outside.statusCode()).isEqualTo(200);
    assertThat(Api.isReplay(outside)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "'{}', 600",
    "'{\"idempotencyWindowSeconds\":600}', 600",
    "'{\"idempotencyWindowSeconds\":86400}', 86400"
  })
  @Requirement({"IR-CF-02", "IR-ST-09"})
  void a_pool_chooses_its_window_and_has_ten_minutes_by_default(String policy, long seconds) {
    var pool = api.pool(1, policy);
    api.hold(pool, "ann", "A-1");

    var shown = Http.json(api.get("/v1/pools/" + pool)).at("/policy/idempotencyWindowSeconds");

    assertThat(shown.asLong()).isEqualTo(seconds);
    assertThat(new RedisTokens(servers, pool).window()).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  @Requirement({"IR-ADV-3a", "IR-ADV-3b"})
  void a_captured_request_has_no_effect_in_the_window_and_needs_an_api_key_later() {
    var pool = api.pool(1, SHORT);
    var token = Api.token();
    var thief = new Api(api.base(), "a-key-that-was-never-given");
    var first = api.place(pool, token, "ann", "A-1");
    api.release(Api.Hold.of(first).id(), Api.token(), "ann");

    var inside = api.place(pool, token, "ann", "A-1");
    var free = api.stateOf(pool, "A-1");
    Await.until(PATIENCE, () -> records.tokens(pool).isEmpty());
    var outside = thief.place(pool, token, "ann", "A-1");

    assertThat(inside.body()).isEqualTo(first.body());
    assertThat(free).isEqualTo("FREE");
    assertThat(outside.statusCode()).isEqualTo(401);
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("FREE");
  }
}
