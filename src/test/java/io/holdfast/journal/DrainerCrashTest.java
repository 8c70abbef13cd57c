package io.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.journal.JournalDrainer.DrainOutcome;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Emptied;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.TestSchema;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.redis.Script;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Interrupts a drain at every step, before and after the step was executed, and lets another
/// drainer continue.
@Requirement("IR-ST-01")
@ExtendWith(RealServers.class)
class DrainerCrashTest {
  /// The statement that inserts live holds.
  private static final String PLACE = "ON CONFLICT DO NOTHING";

  /// Steps that occur only in the first batch of a pool, or in one that places holds.
  private static final Set<String> FIRST_BATCH = Set.of("INSERT INTO journal_cursor", PLACE);

  private static int counter;

  private final TestServers servers;

  DrainerCrashTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT stream_ms",
        "BEGIN",
        "FOR SHARE",
        "INSERT INTO journal_cursor",
        "UPDATE journal_cursor",
        "INSERT INTO journal ",
        PLACE,
        "ON CONFLICT (pool, fence) DO UPDATE", // the ends of holds
        "INSERT INTO token_result",
        "COMMIT"
      })
  void a_crash_at_any_step_in_postgres_loses_and_duplicates_nothing(String step)
      throws SQLException {
    for (BiConsumer<FaultProxy, String> fault : faults()) {
      try (var pool = TestPool.create(servers, "postgres-" + counter++);
          var proxy = FaultProxy.before(servers.jdbcUrl());
          var broken = new TestDrainer(servers.redisUri(), proxy.insteadOf(servers.jdbcUrl()))) {
        var holds = prepare(pool, step);

        fault.accept(proxy, step);
        drainOnce(broken, pool);

        assertThat(proxy.isStruck()).as("the step %s was executed", step).isTrue();
        drainAndVerify(pool, holds);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"journal/read", "journal/trim"})
  void a_crash_at_any_step_in_redis_loses_and_duplicates_nothing(String script)
      throws SQLException {
    for (BiConsumer<FaultProxy, String> fault : faults()) {
      try (var pool = TestPool.create(servers, "redis-" + counter++);
          var proxy = FaultProxy.before(servers.redisUri());
          var broken = new TestDrainer(proxy.insteadOf(servers.redisUri()), servers.jdbcUrl())) {
        var holds = prepare(pool, script);

        fault.accept(proxy, Script.named(script).sha1());
        drainOnce(broken, pool);

        assertThat(proxy.isStruck()).isTrue();
        drainAndVerify(pool, holds);
      }
    }
  }

  private static List<BiConsumer<FaultProxy, String>> faults() {
    return List.of(FaultProxy::cutAt, FaultProxy::dropReplyTo);
  }

  /// A hold ends in the journal that is to be drained. It is in Postgres, unless the step is one of
  /// the first batch.
  private List<HoldRecord> prepare(TestPool pool, String step) {
    var holds = pool.place(1, 3);
    if (!FIRST_BATCH.contains(step)) {
      drainAll(pool);
    }
    var gone = Samples.released(holds.getFirst(), Samples.NOON.plusSeconds(1));
    pool.keep(gone);
    pool.append(Samples.called(gone.endedAt(), "release", "r", "RELEASED", gone.format()));
    return holds;
  }

  private DrainOutcome drainAll(TestPool pool) {
    try (var healthy = new TestDrainer(servers.redisUri(), servers.jdbcUrl())) {
      return healthy.drainer.drainAll(pool.name());
    }
  }

  private static void drainOnce(TestDrainer drainer, TestPool pool) {
    try {
      drainer.drainer.drain(pool.name(), 1);
    } catch (PostgresUnavailable | RedisUnavailable e) {
      // as after a crash
    }
  }

  private void drainAndVerify(TestPool pool, List<HoldRecord> holds) throws SQLException {
    assertThat(drainAll(pool)).isInstanceOf(Emptied.class);

    assertThat(pool.stored().stream().map(line -> line.replaceFirst(" .*", "")))
        .containsExactly("HELD", "HELD", "HELD", "RELEASED");
    assertThat(pool.live()).isEqualTo(2);
    assertThat(holds.stream().map(pool::keeps)).containsExactly(false, true, true);
    assertThat(pool.waiting()).isZero();
  }
}
