package io.holdfast.journal;

import static io.holdfast.testing.Samples.NOON;
import static io.holdfast.testing.Samples.aHold;
import static io.holdfast.testing.Samples.called;
import static io.holdfast.testing.Samples.expired;
import static io.holdfast.testing.Samples.released;
import static io.holdfast.testing.Samples.swept;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.journal.JournalDrainer.DrainOutcome.Emptied;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Superseded;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Unfinished;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Unseeded;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.JournalPosition;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.lettuce.core.XAddArgs;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every line of a journal is stored once and in order, and trimmed only afterwards.
@ExtendWith(RealServers.class)
class JournalDrainerTest {
  private final TestServers servers;
  private final TestDrainer one;
  private TestPool pool;

  JournalDrainerTest(TestServers servers) {
    this.servers = servers;
    this.one = new TestDrainer(servers.redisUri(), servers.jdbcUrl());
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void aPoolOfItsOwn(TestInfo test) throws SQLException {
    var name = test.getTestMethod().orElseThrow().getName();
    pool = TestPool.create(servers, name.substring(0, Math.min(64, name.length())));
  }

  @AfterEach
  void close() {
    pool.close();
    one.close();
  }

  @Test
  void lines_are_stored_in_order_and_trimmed_in_redis() throws SQLException {
    var holds = pool.place(1, 5);

    assertThat(one.drainer.drain(pool.name(), 10)).isEqualTo(new Emptied(5));

    assertThat(pool.stored()).containsExactlyElementsOf(pool.heldLines(holds));
    assertThat(pool.waiting()).isZero();
    assertThat(one.count("drained")).isEqualTo(5);
  }

  @Test
  void at_most_the_allowed_batches_are_stored() throws SQLException {
    pool.place(1, JournalDrainer.BATCH + 1);

    assertThat(one.drainer.drain(pool.name(), 1)).isEqualTo(new Unfinished(JournalDrainer.BATCH));
    assertThat(pool.waiting()).isEqualTo(1);
    assertThat(one.drainer.drain(pool.name(), 2)).isEqualTo(new Emptied(1));
    assertThat(pool.stored()).hasSize(JournalDrainer.BATCH + 1).doesNotHaveDuplicates();
  }

  @Test
  void a_drain_of_what_is_there_ends_although_others_go_on_adding() throws SQLException {
    pool.append(IntStream.range(0, 2_000).mapToObj(n -> refusal(n)).toArray(String[]::new));
    var added = new AtomicInteger(2_000);
    one.beforeRead.set(() -> pool.append(refusal(added.getAndIncrement())));

    assertThat(one.drainer.drainPresent(pool.name())).isTrue();

    assertThat(pool.stored()).hasSizeGreaterThanOrEqualTo(2_000);
    assertThat(pool.waiting()).as("lines that others have added").isPositive();
  }

  @Test
  void redis_deletes_the_record_of_a_hold_only_after_its_end_is_stored() {
    var holds = pool.place(1, 3);
    var gone = released(holds.get(0), NOON.plusSeconds(1));
    pool.keep(gone);
    pool.append(
        swept(gone), swept(released(holds.get(1), NOON))); // the second is still HELD in Redis

    one.drainer.drain(pool.name(), 10);

    assertThat(holds.stream().map(pool::keeps)).containsExactly(false, true, true);
    assertThat(one.postgres.holds().find(gone.id(pool.name()))).contains(gone);
  }

  @Test
  void drift_and_unreadable_lines_are_counted() {
    pool.place(1, 1);
    pool.append("??", swept(released(aHold(1, 1), NOON)));
    one.drainer.drain(pool.name(), 10);
    pool.append(swept(expired(aHold(1, 1), EndReason.FORCED, NOON)));

    one.drainer.drain(pool.name(), 10);

    assertThat(one.count("drift")).isEqualTo(1);
    assertThat(one.count("unreadable")).isEqualTo(1);
  }

  @Test
  void two_drainers_of_a_growing_journal_store_each_line_once_and_in_order() throws Exception {
    var lines = IntStream.range(0, 8_000).mapToObj(n -> refusal(n)).toArray(String[]::new);
    pool.append(Arrays.copyOf(lines, 5_000));
    try (var other = new TestDrainer(servers.redisUri(), servers.jdbcUrl())) {
      var isDone = new AtomicBoolean();
      var both =
          Stream.of(one, other)
              .map(each -> CompletableFuture.runAsync(() -> drainUntil(isDone, each.drainer)))
              .toList();
      for (var n = 5_000; n < lines.length; n += 10) {
        pool.append(Arrays.copyOfRange(lines, n, n + 10));
      }
      isDone.set(true);
      both.forEach(CompletableFuture::join);

      assertThat(pool.stored())
          .containsExactlyElementsOf(
              IntStream.range(0, 8_000).mapToObj(n -> "TAKEN A-" + n).toList());
      assertThat(one.count("drained") + other.count("drained")).isEqualTo(8_000);
      assertThat(pool.waiting()).isZero();
    }
  }

  private void drainUntil(AtomicBoolean isDone, JournalDrainer drainer) {
    while (!isDone.get()) {
      drainer.drain(pool.name(), 3);
    }
    drainer.drainAll(pool.name());
  }

  private static String refusal(int n) {
    return called(NOON, "place_hold", "t" + n, "TAKEN", "A-" + n);
  }

  @Test
  void lines_that_could_not_be_stored_stay_in_redis() {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var cut = new TestDrainer(servers.redisUri(), proxy.insteadOf(servers.jdbcUrl()))) {
      pool.place(1, 5);
      proxy.cut();

      assertThatThrownBy(() -> cut.drainer.drain(pool.name(), 1))
          .isInstanceOf(PostgresUnavailable.class);

      assertThat(pool.waiting()).isEqualTo(5);
    }
  }

  @Test
  void lines_of_an_epoch_are_not_stored_after_a_newer_one_began() throws SQLException {
    pool.place(1, 2);
    one.drainer.drain(pool.name(), 1);
    pool.place(3, 2);
    raiseEpoch();

    assertThat(one.drainer.drain(pool.name(), 10)).isEqualTo(new Superseded());

    assertThat(pool.stored()).hasSize(2);
    assertThat(pool.waiting()).isEqualTo(2);
  }

  /// The losing side of a split brain, whose entries have the ids of others that are stored.
  @Test
  void the_journal_of_a_superseded_epoch_is_not_trimmed() throws SQLException {
    pool.place(1, 2);
    one.drainer.drain(pool.name(), 1);
    pool.redis().del(pool.name().key("journal"));
    pool.redis()
        .xadd(pool.name().key("journal"), id(new JournalPosition(5, 0)), "lines", refusal(1));
    raiseEpoch();

    assertThat(one.drainer.drain(pool.name(), 10)).isEqualTo(new Superseded());

    assertThat(pool.waiting()).isEqualTo(1);
  }

  @Requirement("IR-ST-01")
  @Test
  void surviving_lines_are_drained_while_the_pool_is_being_seeded() throws SQLException {
    var holds = pool.place(1, 2);
    raiseEpoch();
    pool.seed("SEEDING", 2);

    assertThat(one.drainer.drainAll(pool.name())).isEqualTo(new Emptied(2));

    assertThat(pool.stored()).containsExactlyElementsOf(pool.heldLines(holds));
  }

  @Test
  void a_redis_without_the_pool_or_with_another_run_id_is_not_drained() {
    pool.place(1, 2);
    pool.redis().hset(pool.name().key("meta"), "run_id", "f".repeat(40));
    assertThat(one.drainer.drainAll(pool.name())).isEqualTo(new Unseeded());

    pool.redis().del(pool.name().key("meta"));
    assertThat(one.drainer.drainAll(pool.name())).isEqualTo(new Unseeded());

    assertThat(pool.waiting()).isEqualTo(2);
  }

  /// A Redis that lost its data, on a machine whose clock is an hour behind.
  @Test
  void lines_after_a_data_loss_are_drained_even_if_the_clock_is_behind() throws SQLException {
    var inAnHour = new JournalPosition(System.currentTimeMillis() + 3_600_000, 7);
    pool.redis()
        .xadd(
            pool.name().key("journal"),
            id(inAnHour),
            "lines",
            called(NOON, "release", "a", "NOT_HELD"));
    one.drainer.drain(pool.name(), 2);
    pool.redis().del(pool.name().key("journal"));

    assertThat(one.drainer.drainAll(pool.name())).isEqualTo(new Emptied(0));
    pool.append(called(NOON, "release", "b", "NOT_KNOWN"));

    assertThat(one.drainer.drainAll(pool.name())).isEqualTo(new Emptied(1));
    assertThat(pool.stored()).containsExactly("NOT_HELD ", "NOT_KNOWN ");
  }

  private void raiseEpoch() throws SQLException {
    var sql = "UPDATE pool SET epoch = 2 WHERE pool = '%s'";
    new TestSchema(servers).execute(sql.formatted(pool.name()));
  }

  private static XAddArgs id(JournalPosition id) {
    return new XAddArgs().id(id.toString());
  }
}
