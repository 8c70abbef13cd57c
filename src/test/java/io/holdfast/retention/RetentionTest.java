package io.holdfast.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.config.InvalidSetting;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.TestSchema;
import io.holdfast.retention.RetentionTable.Kind;
import io.holdfast.retention.RetentionTable.Position;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Records from before the horizon are dropped, once, in small steps.
@ExtendWith(RealServers.class)
class RetentionTest {
  private final TestServers servers;
  private final OldRecords old;

  RetentionTest(TestServers servers) {
    this.servers = servers;
    this.old = new OldRecords(servers);
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void begin() throws SQLException {
    old.begin();
  }

  @AfterEach
  void close() {
    old.close();
  }

  @Requirement("AU-21")
  @Test
  void records_older_than_the_horizon_are_dropped_and_younger_ones_stay() throws SQLException {
    var now = Instant.now();
    old.line(now);
    old.released(1, old.then());
    old.released(2, now.minusSeconds(3_600));
    old.attempt("t", "NOT_HELD", "", old.then());
    old.attempt("t", "NOT_HELD", "young", now);
    old.event(1, old.then());
    old.event(2, now);
    old.replay("t1", old.then());
    old.replay("t2", now);

    old.drop();

    assertThat(old.linesIn()).hasSize(1).doesNotContain(old.partition());
    assertThat(old.holds()).containsExactly("h2");
    assertThat(old.attempts()).containsExactly("NOT_HELD young");
    assertThat(old.events()).containsExactly("2");
    assertThat(old.texts("SELECT convert_from(token, 'UTF8') FROM token_replay"))
        .containsExactly("t2");
    assertThat(old.texts("SELECT partition FROM journal_drop")).containsExactly(old.partition());
    assertThat(old.table().horizon().since()).isEqualTo(old.horizon());
    for (var records :
        new String[] {"journal_partitions", "holds", "attempts", "events", "replays"}) {
      assertThat(old.dropped(records)).as(records).isEqualTo(1);
    }
    assertThat(old.oldestSeconds()).isLessThan(Duration.ofDays(150).toSeconds());
  }

  @Requirement("AU-21")
  @Test
  void nothing_is_dropped_before_a_whole_month_is_older_than_the_setting() throws SQLException {
    old.released(1, old.then());
    var age = Duration.between(old.horizon(), Instant.now()).plusHours(1);

    old.retention(age).run();

    assertThat(old.linesIn()).containsExactly(old.partition());
    assertThat(old.holds()).containsExactly("h1");
  }

  /// A line that was drained very late has no partition any more. It is stored all the same.
  @Requirement("AU-21")
  @Test
  void a_line_that_comes_after_its_partition_was_dropped_is_stored_and_dropped_later()
      throws SQLException {
    old.drop();
    old.line(old.then());
    old.line(Instant.now());
    assertThat(old.linesIn()).contains("journal_other").hasSize(2);

    old.drop();

    assertThat(old.linesIn()).hasSize(1).doesNotContain("journal_other");
    old.line(old.then());
    assertThat(old.linesIn()).contains("journal_other");
    assertThatThrownBy(() -> old.execute("TRUNCATE journal_other"))
        .hasMessageContaining("neither changed nor deleted");
  }

  @Test
  void a_young_line_keeps_the_default_partition() throws SQLException {
    old.drop();
    old.line(old.then());
    old.line(Instant.now().plus(Duration.ofDays(400)));

    old.drop();

    assertThat(old.linesIn()).containsExactly("journal_other", "journal_other");
  }

  @Requirement("AU-21")
  @Test
  void the_database_keeps_every_line_for_fifteen_days_whatever_the_service_asks() {
    assertThatThrownBy(() -> old.table().dropOldestPartition(Duration.ofDays(14)))
        .isInstanceOf(PostgresUnavailable.class)
        .hasStackTraceContaining("kept for 15 days at least");
    assertThatThrownBy(() -> new RetentionSettings(Duration.ofDays(14)))
        .isInstanceOf(InvalidSetting.class)
        .hasMessageContaining("HOLDFAST_JOURNAL_KEEP");
  }

  @Requirement("AU-21")
  @Test
  void two_instances_at_once_drop_each_record_once() throws Exception {
    IntStream.rangeClosed(1, 8).forEach(this::releasedThen);
    old.table().dropOldestPartition(OldRecords.KEEP);
    try (var other = new OldRecords(servers)) {
      var dropped =
          Stream.of(old, other)
              .map(each -> CompletableFuture.supplyAsync(() -> dropHolds(each.table())))
              .toList();

      assertThat(dropped.stream().mapToLong(CompletableFuture::join).sum()).isEqualTo(8);
    }
    assertThat(old.holds()).isEmpty();
  }

  /// The second instance asks before the first one has committed.
  @Requirement("AU-21")
  @Test
  void a_partition_is_dropped_by_one_of_two_instances() throws Exception {
    try (var first = servers.connection();
        var statement = first.createStatement()) {
      first.setAutoCommit(false);
      statement.execute("SELECT drop_oldest_journal('90 days')");
      var second =
          CompletableFuture.supplyAsync(() -> old.table().dropOldestPartition(OldRecords.KEEP));
      Await.until(Duration.ofSeconds(20), () -> second.isDone() || isWaiting());
      first.commit();

      assertThat(second.join()).isEmpty();
    }
    assertThat(old.texts("SELECT partition FROM journal_drop")).containsExactly(old.partition());
  }

  private boolean isWaiting() throws SQLException {
    var sql =
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND datname = current_database()";
    return !old.texts(sql).isEmpty();
  }

  /// There may be millions of tokens in their windows, and a statement has five seconds.
  @Test
  void the_tokens_in_their_windows_are_not_read_to_drop_a_partition() throws SQLException {
    old.execute(
        """
        INSERT INTO token_result (pool, caller, token, action, digest, digest_function, outcome,
                                  recorded_at, window_until)
        SELECT 'arena', 'shop', ('t' || n)::bytea, 'confirm', 'd', '1', 'CONFIRMED', now(),
               now() + interval '1 day'
          FROM generate_series(1, 500) n
        """);
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT drop_oldest_journal('90 days')");
      try (var read =
          statement.executeQuery(
              "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables"
                  + " WHERE relname = 'token_result'")) {
        read.next();
        assertThat(read.getLong(1)).isZero();
      }
      connection.commit();
    }
    assertThat(old.linesIn()).isEmpty();
  }

  /// An audit may hold the journal for longer than the drop waits.
  @Requirement("AU-21")
  @Test
  void rows_are_dropped_although_a_partition_cannot_be() throws SQLException {
    old.released(1, old.then());
    old.execute(
        "INSERT INTO journal_drop (partition, before, bytes) VALUES ('earlier', '%s', 0)"
            .formatted(old.horizon()));
    try (var reader = servers.connection();
        var statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("LOCK TABLE journal IN ACCESS SHARE MODE");

      assertThatThrownBy(old::drop).isInstanceOf(PostgresUnavailable.class);
    }

    assertThat(old.linesIn()).containsExactly(old.partition());
    assertThat(old.holds()).isEmpty();
  }

  @Test
  void only_the_instance_with_the_lease_drops() throws SQLException {
    old.execute("INSERT INTO lease VALUES ('retention', 'other', now() + interval '1 minute')");

    old.retention(OldRecords.KEEP).run();

    assertThat(old.linesIn()).containsExactly(old.partition());
  }

  /// The session dies between the drop of the partition and its COMMIT.
  @Requirement("AU-21")
  @Test
  void a_crash_before_the_commit_drops_nothing_and_moves_no_horizon() throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT drop_oldest_journal('90 days')");
      try (var pid = statement.executeQuery("SELECT pg_backend_pid()")) {
        pid.next();
        assertThat(old.texts("SELECT pg_terminate_backend(" + pid.getInt(1) + ")"))
            .containsExactly("t");
      }
      assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
    } catch (SQLException e) {
      assertThat(e.getSQLState()).as("the connection is broken").startsWith("08");
    }
    assertThat(old.linesIn()).containsExactly(old.partition());
    assertThat(old.table().horizon().since()).isNull();

    old.drop();
    assertThat(old.linesIn()).isEmpty();
  }

  /// The instance dies after the partition was dropped. Another one drops the rows.
  @Requirement("AU-21")
  @Test
  void after_a_crash_between_two_steps_another_instance_continues() throws SQLException {
    IntStream.rangeClosed(1, 3).forEach(this::releasedThen);
    old.table().dropOldestPartition(OldRecords.KEEP);
    old.table().drop(Kind.HOLDS, Position.START, 1);
    assertThat(old.holds()).containsExactly("h2", "h3");

    old.drop();

    assertThat(old.holds()).isEmpty();
  }

  /// A walk takes small steps and skips the young rows of a pool.
  @Test
  void a_walk_looks_at_every_old_row_in_bounded_steps() throws SQLException {
    IntStream.rangeClosed(1, 5).forEach(this::releasedThen);
    old.released(6, Instant.now());
    old.execute(
        "SET session_replication_role = replica; INSERT INTO hold SELECT (jsonb_populate_record(h,"
            + " '{\"pool\":\"zoo\"}')).* FROM hold h");
    old.table().dropOldestPartition(OldRecords.KEEP);

    var steps = 0;
    var dropped = 0L;
    Position next = Position.START;
    while (next != null) {
      var step = old.table().drop(Kind.HOLDS, next, 2);
      assertThat(step.dropped()).isLessThanOrEqualTo(2);
      dropped += step.dropped();
      next = step.next();
      steps++;
    }

    assertThat(dropped).isEqualTo(10);
    assertThat(steps).isLessThanOrEqualTo(9);
    assertThat(old.holds()).containsExactly("h6", "h6");
  }

  private void releasedThen(int fence) {
    try {
      old.released(fence, old.then());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long dropHolds(RetentionTable table) {
    var dropped = 0L;
    Position next = Position.START;
    while (next != null) {
      var step = table.drop(Kind.HOLDS, next, 2);
      dropped += step.dropped();
      next = step.next();
    }
    return dropped;
  }
}
