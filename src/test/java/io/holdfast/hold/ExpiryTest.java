package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// An abandoned hold ends once, slightly late and never early, and its end is recorded. Two
/// instances sweep.
@ExtendWith(RealServers.class)
@Tag("cluster")
class ExpiryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final String ONE_SECOND = "{\"leaseSeconds\":1,\"maxHoldsPerRequester\":1000}";

  private static TestServers servers;
  private static Service second;
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    second = RealServers.start(servers, Map.of());
    api = Api.of(service);
    records = new Records(servers, api);
  }

  @AfterAll
  static void close() {
    second.close();
  }

  @Test
  @Requirement({"BR-T-1", "BR-X-2", "PC-BH-1", "PC-INV-8", "H-11"})
  void every_abandoned_hold_ends_once_within_a_second_of_its_lease_and_never_before() {
    var pool = api.pool(150, ONE_SECOND);
    for (var i = 1; i <= 150; i++) {
      api.hold(pool, "ann", "A-" + i);
    }

    var ended = "SELECT hold_id FROM journal WHERE pool = ? AND word = 'EXPIRED'";
    Await.until(PATIENCE, () -> records.texts(ended, pool).size() >= 150);

    assertThat(records.words(pool).stream().filter("EXPIRED"::equals)).hasSize(150);
    assertThat(records.texts(ended, pool)).hasSize(150).doesNotHaveDuplicates();
    var early = "SELECT hold_id FROM hold WHERE pool = ? AND NOT ended_at >= lease_until";
    assertThat(records.texts(early, pool)).isEmpty();
    var late =
        "SELECT ended_at - lease_until FROM hold WHERE pool = ?"
            + " AND NOT ended_at < lease_until + interval '1 second'";
    assertThat(records.texts(late, pool)).isEmpty();
    assertThat(records.texts("SELECT DISTINCT end_reason FROM hold WHERE pool = ?", pool))
        .containsExactly("LEASE");
    assertThat(api.counts(pool)).isEqualTo("150 free, 0 held");
  }

  @Test
  @Requirement("BR-T-1")
  void another_requester_gets_the_seat_when_the_lease_ends_and_not_earlier() {
    var pool = api.pool(1, ONE_SECOND);
    var first = api.place(pool, Api.token(), "ann", "A-1");
    var answers = new ArrayList<HttpResponse<String>>();

    Await.until(
        PATIENCE,
        () -> {
          answers.add(api.place(pool, Api.token(), "ben", "A-1"));
          return answers.getLast().statusCode() == 201;
        });

    assertThat(Api.time(answers.getLast(), "placedAt"))
        .isBetween(Api.time(first, "leaseUntil"), Api.time(first, "leaseUntil").plus(PATIENCE));
    assertThat(answers.subList(0, answers.size() - 1))
        .extracting(HttpResponse::statusCode)
        .containsOnly(409);
  }

  @Test
  @Requirement({"PC-INV-3", "PC-DP-3", "PC-DP-4"})
  void an_expired_hold_can_always_be_read_and_never_changed() {
    var pool = api.pool(1, ONE_SECOND);
    var hold = api.hold(pool, "ann", "A-1");
    Await.until(PATIENCE, () -> state(hold).equals("EXPIRED"));
    var atFirst = api.read(hold.id());
    records.words(pool);

    var fromPostgres = api.read(hold.id());
    var release = api.release(hold.id(), Api.token(), "ann");
    var expire = api.expire(hold.id(), Api.token(), false);
    var beat = api.heartbeat(hold.id(), "ann", hold.fence());

    assertThat(Http.json(atFirst).get("endReason").asText()).isEqualTo("LEASE");
    assertThat(fromPostgres.body()).isEqualTo(atFirst.body());
    assertThat(Api.code(release)).isEqualTo("not-held");
    assertThat(Api.code(expire)).isEqualTo("not-held");
    assertThat(beat.statusCode() + Api.code(beat)).isEqualTo("410window-elapsed");
    assertThat(api.read(hold.id()).body()).isEqualTo(atFirst.body());
  }

  @Test
  @Requirement({"PC-INV-8", "H-11"})
  void a_hold_as_long_as_its_window_ends_with_the_window() {
    var pool = api.pool(1, "{\"leaseSeconds\":1,\"windowSeconds\":1}");
    var hold = api.hold(pool, "ann", "A-1");

    Await.until(PATIENCE, () -> state(hold).equals("EXPIRED"));

    var ended = api.read(hold.id());
    assertThat(Http.json(ended).get("endReason").asText()).isEqualTo("WINDOW");
    assertThat(Api.time(ended, "endedAt")).isAfterOrEqualTo(Api.time(ended, "expiresAt"));
  }

  /// The due set starts with fences without holds. A sweep removes 100 of them at a time.
  @Test
  void a_hold_that_lapsed_after_a_thousand_others_is_ended_too() {
    var pool = api.pool(1, ONE_SECOND);
    var placed = api.place(pool, Api.token(), "ann", "A-1");
    var scoresAndFences =
        IntStream.range(0, 2_000).mapToObj(i -> i % 2 == 0 ? (Object) (double) i : "x" + i);
    Await.until(
        PATIENCE, () -> Instant.now().isAfter(Api.time(placed, "leaseUntil").minusMillis(50)));
    servers.redis(redis -> redis.zadd("{p:" + pool + "}:due", scoresAndFences.toArray()));

    Await.until(
        PATIENCE, () -> Instant.now().isAfter(Api.time(placed, "leaseUntil").plusMillis(20)));

    assertThat(state(Api.Hold.of(placed))).isEqualTo("EXPIRED");
  }

  private static String state(Api.Hold hold) {
    return Http.json(api.read(hold.id())).get("state").asText();
  }
}
