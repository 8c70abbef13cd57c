package io.holdfast.idempotency.store;

import static io.holdfast.idempotency.store.Effects.MINUTE;
import static io.holdfast.idempotency.store.Effects.aToken;
import static io.holdfast.idempotency.store.Effects.call;
import static io.holdfast.idempotency.store.Effects.effect;
import static io.holdfast.idempotency.store.Effects.results;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentResult.Unknown;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A request is executed once despite failures, and an unknown result is reported as unknown.
@ExtendWith(RealServers.class)
class RequestResultsFaultsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static Effects effects;
  private static FaultProxy proxy;
  private static Service one;
  private static Service other;

  @BeforeAll
  static void start(TestServers servers, @TempDir Path folder) throws SQLException {
    proxy = FaultProxy.before(servers.jdbcUrl());
    one = Effects.start(servers, servers.jdbcUrl(), folder.resolve("one"));
    other = Effects.start(servers, proxy.insteadOf(servers.jdbcUrl()), folder.resolve("other"));
    effects = Effects.in(servers);
  }

  @AfterAll
  static void stop() {
    one.close();
    other.close();
    proxy.close();
  }

  @BeforeEach
  void heal() {
    proxy.heal();
    Await.until(PATIENCE, () -> IntStream.range(0, 8).allMatch(_ -> isWell()));
  }

  /// The pool may hold connections that an earlier test has broken.
  private static boolean isWell() {
    try {
      return results(other).once(call(aToken(), "a", MINUTE), _ -> new Answer(200, new byte[0]))
          instanceof Done;
    } catch (PostgresUnavailable e) {
      return false;
    }
  }

  @Test
  void a_call_that_waits_too_long_for_an_equal_token_is_unknown() throws Exception {
    var token = aToken();
    var mayEnd = new CountDownLatch(1);
    var hasBegun = new CountDownLatch(1);
    var slow =
        CompletableFuture.supplyAsync(
            () ->
                results(one)
                    .once(
                        call(token, "a", MINUTE),
                        transaction -> {
                          hasBegun.countDown();
                          awaitUninterruptibly(mayEnd);
                          return effect(token).run(transaction);
                        }));
    hasBegun.await();

    var impatient = results(other).once(call(token, "a", MINUTE), effect(token));
    mayEnd.countDown();

    assertThat(impatient).isEqualTo(new Unknown());
    assertThat(slow.join()).isInstanceOf(Done.class);
    assertThat(effects.under(token)).isOne();
  }

  @Test
  void work_that_fails_leaves_neither_effect_nor_answer() {
    var token = aToken();
    IdempotencyStore.Work failing =
        transaction -> {
          effect(token).run(transaction);
          throw new IllegalStateException("a bug");
        };

    assertThatThrownBy(() -> results(one).once(call(token, "a", MINUTE), failing))
        .hasMessage("a bug");

    assertThat(effects.under(token)).isZero();
    assertThat(results(one).once(call(token, "b", MINUTE), effect(token))).isInstanceOf(Done.class);
  }

  /// The commit is made to take its time, and the wire is cut in the middle of it.
  @Test
  void a_commit_whose_answer_is_lost_is_unknown_until_the_token_is_sent_again()
      throws SQLException {
    var token = aToken();
    effects
        .schema()
        .execute(
            """
            CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_sleep(3); RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON effect
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow_commit()
            """);
    try {
      var call = call(token, "a", MINUTE);
      var lost = CompletableFuture.supplyAsync(() -> results(other).once(call, effect(token)));
      Await.until(PATIENCE, RequestResultsFaultsTest::isCommitting);
      proxy.cut();

      assertThat(lost.join()).isEqualTo(new Unknown());
      proxy.heal();
      Await.until(PATIENCE, () -> results(one).once(call, effect(token)) instanceof Replayed);
      assertThat(effects.under(token)).isOne();
    } finally {
      effects.schema().execute("DROP FUNCTION slow_commit CASCADE");
    }
  }

  @Test
  void without_postgres_a_call_definitely_had_no_effect() {
    proxy.cut();
    try {
      assertThatThrownBy(
              () ->
                  results(other)
                      .once(call(aToken(), "a", MINUTE), _ -> new Answer(200, new byte[0])))
          .isInstanceOfSatisfying(
              PostgresUnavailable.class, e -> assertThat(e.isDefinite()).isTrue());
    } finally {
      proxy.heal();
    }
  }

  private static boolean isCommitting() {
    return effects.count(
            "SELECT count(*) FROM pg_stat_activity"
                + " WHERE wait_event = 'PgSleep' AND datname = current_database()")
        > 0;
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
