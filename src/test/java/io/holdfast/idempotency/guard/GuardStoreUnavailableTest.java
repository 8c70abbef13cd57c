package io.holdfast.idempotency.guard;

import static io.holdfast.idempotency.guard.GuardResult.NOT_SEEN;
import static io.holdfast.idempotency.guard.GuardResult.SEEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Without its store a guard never fails a record, and answers a check by its failure mode.
@ExtendWith(RealServers.class)
class GuardStoreUnavailableTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static FaultProxy redis;
  private static FaultProxy postgres;
  private static GuardStores stores;

  @BeforeAll
  static void open(TestServers servers) {
    GuardStores.on(servers).close();
    redis = FaultProxy.before(servers.redisUri());
    postgres = FaultProxy.before(servers.jdbcUrl());
    stores =
        GuardStores.behind(
            redis.insteadOf(servers.redisUri()), postgres.insteadOf(servers.jdbcUrl()));
  }

  @AfterAll
  static void close() {
    stores.close();
    redis.close();
    postgres.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("all")
  @Requirement({"DP-AC-1", "DP-BH-2", "DP-EC-06", "DP-EC-07", "H-5"})
  void without_its_store_a_record_is_counted_as_missed_and_a_check_follows_its_failure_mode(
      String name, FaultProxy proxy, GuardStore store) {
    var closed = guard(store, GuardRules.of(GuardStores.aName(), Duration.ofHours(1)));
    var open = guard(store, closed.rules().openWhenAway());
    Await.until(PATIENCE, () -> isRecorded(closed, "before"));
    var misses = closed.misses();

    proxy.cut();
    closed.record("during");

    assertThat(closed.misses()).isEqualTo(misses + 1);
    assertThat(closed.check("never seen")).isEqualTo(SEEN);
    assertThat(open.check("before")).isEqualTo(NOT_SEEN);
    assertThat(closed.blindChecks()).isPositive();
    assertThat(open.blindChecks()).isPositive();

    proxy.heal();
    Await.until(PATIENCE, () -> closed.check("never seen") == NOT_SEEN);
    Await.until(PATIENCE, () -> open.check("before") == SEEN);
    Await.until(PATIENCE, () -> closed.check("during") == NOT_SEEN); // or it is SEEN for an hour
  }

  static Stream<Arguments> all() {
    return Stream.of(
        Arguments.of("redis", redis, stores.redis()),
        Arguments.of("postgres", postgres, stores.postgres()));
  }

  /// A busy machine may be late with an answer.
  private static boolean isRecorded(DuplicateGuard guard, String identity) {
    var before = guard.misses();
    guard.record(identity);
    return guard.misses() == before;
  }

  private static DuplicateGuard guard(GuardStore store, GuardRules rules) {
    return new DuplicateGuard(rules, store, new MovedClock());
  }
}
