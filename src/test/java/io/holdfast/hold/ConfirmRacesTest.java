package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Concurrent calls on two instances try to end one hold. One succeeds, and the others are refused.
@ExtendWith(RealServers.class)
@Tag("cluster")
class ConfirmRacesTest {
  private static final int HOLDS = 60;
  private static final int CALLS = 16;

  @TempDir static Path folder;

  private static Service second;
  private static List<Api> apis;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    second = Instances.start(servers, folder.resolve("data"), Map.of());
    api = Api.of(service);
    apis = List.of(api, Api.of(second));
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    second.close();
  }

  @Test
  @Requirement({"IR-EC-08", "IR-EC-09", "IR-EC-01", "IR-INV-2", "IR-INV-8", "RS-S4", "RP-09"})
  void equal_calls_under_one_token_have_one_effect_and_equal_answers() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();

    var answers = Together.run(CALLS, i -> apis.get(i % 2).confirm(hold, token, "ann", "order-1"));

    assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(200);
    assertThat(answers.stream().map(HttpResponse::body).distinct()).hasSize(1);
    assertThat(commitments(pool)).isEqualTo(1);
  }

  @Test
  @Requirement({"RS-S4", "BR-K-4", "BR-X-3"})
  void equal_purchases_under_many_tokens_are_one_sale() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");

    var answers =
        Together.run(CALLS, i -> apis.get(i % 2).confirm(hold, Api.token(), "ann", "order-1"));

    assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(200);
    assertThat(answers.stream().map(HttpResponse::body).distinct()).hasSize(1);
    assertThat(commitments(pool)).isEqualTo(1);
  }

  @Test
  void of_two_orders_for_one_hold_one_succeeds() {
    var pool = api.pool(HOLDS, "{\"maxHoldsPerRequester\":1000}");

    for (var hold : holds(pool)) {
      var answers =
          Together.run(2, i -> apis.get(i).confirm(hold, Api.token(), "ann", "order-" + i));

      assertThat(answers.stream().map(ConfirmRacesTest::word).sorted())
          .containsExactly("200", "replay-duplicate");
    }
    assertThat(commitments(pool)).isEqualTo(HOLDS);
  }

  @Test
  @Requirement({"PC-INV-1", "PC-INV-3", "PC-EC-4"})
  void either_a_release_or_a_sale_succeeds_and_never_both() {
    var sold =
        race(hold -> apis.getLast().release(hold.id(), Api.token(), "ann"), "RELEASED", "not-held");

    assertThat(sold).as("of %d, so that both orders were met", HOLDS).isBetween(1L, HOLDS - 1L);
  }

  @Test
  void either_a_forced_expiry_or_a_sale_succeeds_and_never_both() {
    race(hold -> apis.getLast().expire(hold.id(), Api.token(), true), "EXPIRED", "not-held");
  }

  /// Returns how many were sold. In turns the one and the other call starts later and later, so
  /// that both come first.
  private long race(Function<Hold, HttpResponse<String>> end, String state, String refusal) {
    var pool = api.pool(HOLDS, "{\"maxHoldsPerRequester\":1000}");
    var states = new java.util.ArrayList<String>();
    var all = holds(pool);
    for (var turn = 0; turn < HOLDS; turn++) {
      var hold = all.get(turn);
      var wait = Duration.ofMillis(turn);
      var late = turn % 2;
      var answers =
          Together.run(
              2,
              i -> {
                LockSupport.parkNanos(i == late ? wait.toNanos() : 0);
                return i == 0 ? api.confirm(hold, Api.token(), "ann", "o") : end.apply(hold);
              });
      var words = answers.stream().map(ConfirmRacesTest::word).toList();

      assertThat(new HashSet<>(words)).as("%s", words).isEqualTo(java.util.Set.of("200", refusal));
      var isSold = words.getFirst().equals("200");
      assertThat(api.read(hold.id()).body())
          .contains("\"state\":\"%s\"".formatted(isSold ? "CONFIRMED" : state));
      states.add(isSold ? "CONFIRMED" : state);
    }
    Await.until(
        Duration.ofSeconds(20),
        () ->
            rows.texts("SELECT state FROM hold WHERE pool = ? ORDER BY fence", pool)
                .equals(states));
    var sold = states.stream().filter("CONFIRMED"::equals).count();
    assertThat(commitments(pool)).isEqualTo(sold);
    return sold;
  }

  private static List<Hold> holds(String pool) {
    return IntStream.rangeClosed(1, HOLDS)
        .mapToObj(i -> api.hold(pool, "ann", "A-" + i))
        .collect(Collectors.toList());
  }

  private static long commitments(String pool) {
    return rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool);
  }

  private static String word(HttpResponse<String> answer) {
    return answer.statusCode() == 200 ? "200" : Api.code(answer);
  }
}
