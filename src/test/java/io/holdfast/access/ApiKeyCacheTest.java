package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Two instances share the keys, and each accepts its known keys while Postgres is unavailable.
@ExtendWith(RealServers.class)
@Tag("slow")
class ApiKeyCacheTest {
  private static final Duration ELSEWHERE = Duration.ofSeconds(2);
  private static final Duration IN_TIME = Duration.ofSeconds(20);

  private static FaultProxy postgres;
  private static Service one;
  private static Service other;
  private static Keys here;
  private static Keys there;

  @BeforeAll
  static void start(TestServers servers, @TempDir Path folder) {
    postgres = FaultProxy.before(servers.jdbcUrl());
    one = start(servers, servers.jdbcUrl(), folder.resolve("one"));
    other = start(servers, postgres.insteadOf(servers.jdbcUrl()), folder.resolve("other"));
    here = new Keys(one.http());
    there = new Keys(other.http());
  }

  @AfterAll
  static void stop() {
    one.close();
    other.close();
    postgres.close();
  }

  @AfterEach
  void heal() {
    postgres.heal();
    Await.until(IN_TIME, () -> IntStream.range(0, 8).allMatch(_ -> isAskedAgain()));
  }

  /// A read may still get a broken connection until the pool has replaced them all.
  private static boolean isAskedAgain() {
    return there.hold("guess-" + Keys.aToken()).statusCode() == 401;
  }

  @Test
  void a_key_that_was_made_elsewhere_works_on_its_first_use() {
    for (var i = 0; i < 5; i++) {
      assertThat(there.hold(here.made("shop", "hold").key()).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void a_key_that_was_revoked_elsewhere_is_refused_within_two_seconds() {
    var made = here.made("shop", "hold");
    assertThat(there.hold(made.key()).statusCode()).isEqualTo(200);

    here.revoke(Keys.aToken(), made.id());

    Await.until(ELSEWHERE, () -> there.hold(made.key()).statusCode() == 401);
  }

  @Test
  void without_postgres_known_keys_work_and_unknown_keys_get_503() {
    var made = here.made("shop", "hold");
    assertThat(there.hold(made.key()).statusCode()).isEqualTo(200);

    postgres.cut();
    var unknown = there.hold("made-elsewhere-perhaps");

    assertThat(there.hold(made.key()).statusCode()).isEqualTo(200);
    assertThat(there.hold(TestServers.KEY).statusCode()).isEqualTo(200);
    assertThat(unknown.statusCode()).isEqualTo(503);
    assertThat(unknown.headers().firstValue("Retry-After")).isPresent();
    assertThat(Http.json(unknown).path("code").asText()).isEqualTo("storage-failure");
    assertThat(Http.json(unknown).path("definite").asText()).isEqualTo("true");
  }

  @Test
  void while_postgres_hangs_known_keys_do_not_wait() {
    var made = here.made("shop", "hold");
    assertThat(there.hold(made.key()).statusCode()).isEqualTo(200);

    postgres.halfOpen();
    var before = System.nanoTime();
    for (var i = 0; i < 20; i++) {
      assertThat(there.hold(made.key()).statusCode()).isEqualTo(200);
    }

    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
  }

  @Test
  void guessed_keys_share_a_few_reads_of_postgres() throws Exception {
    var looks = other.context().getBean(MeterRegistry.class).get("holdfast.keys.second.looks");
    var before = looks.counter().count();
    var began = System.nanoTime();
    try (var threads = Executors.newFixedThreadPool(16)) {
      var guesses =
          IntStream.range(0, 400)
              .<Callable<Integer>>mapToObj(i -> () -> there.hold("guess-" + i).statusCode())
              .toList();
      for (var answer : threads.invokeAll(guesses)) {
        assertThat(answer.get()).isEqualTo(401);
      }
    }
    var tenths = Duration.ofNanos(System.nanoTime() - began).toMillis() / 100;

    assertThat(looks.counter().count() - before).isBetween(1.0, 2.0 + tenths);
  }

  @Test
  void a_repeated_guess_costs_no_read() {
    there.hold("the-same-guess");
    var looks = other.context().getBean(MeterRegistry.class).get("holdfast.keys.second.looks");
    var before = looks.counter().count();
    var began = System.nanoTime();

    for (var i = 0; i < 50; i++) {
      assertThat(there.hold("the-same-guess").statusCode()).isEqualTo(401);
    }

    var seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds(); // so long it is unknown
    assertThat(looks.counter().count() - before).isLessThanOrEqualTo(1.0 + seconds);
  }

  private static Service start(TestServers servers, String jdbcUrl, Path data) {
    var settings = new HashMap<>(servers.settings());
    settings.put("jdbc.url", jdbcUrl);
    settings.put("holdfast.data", data.toString());
    return Service.start(settings);
  }
}
