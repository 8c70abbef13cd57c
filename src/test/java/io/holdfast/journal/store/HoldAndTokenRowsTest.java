package io.holdfast.journal.store;

import static io.holdfast.testing.Samples.NOON;
import static io.holdfast.testing.Samples.aHold;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.seeding.EpochLog.Opening;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The rows that seeding reads and writes: holds, tokens, epoch openings and leases.
@ExtendWith(RealServers.class)
class HoldAndTokenRowsTest {
  private static final PoolName ARENA = new PoolName("arena");

  private final TestSchema schema;
  private final TestLink link;

  HoldAndTokenRowsTest(TestServers servers) {
    schema = new TestSchema(servers);
    link = TestLink.to(servers.jdbcUrl());
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void sixHoldsTheThirdReleased() throws SQLException {
    schema.clear(
        "hold", "journal", "journal_cursor", "token_result", "fence_epoch", "lease", "pool");
    schema.execute("INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 1)");
    var last = new JournalPosition(6, 0);
    var lines =
        LongStream.rangeClosed(1, 6)
            .mapToObj(n -> line(n, n == 3 ? Samples.released(aHold(1, n), NOON) : aHold(1, n)))
            .toList();
    link.journal().store(ARENA, new Epoch(1), JournalPosition.START, last, lines);
  }

  @AfterEach
  void close() {
    link.close();
  }

  @Test
  void holds_are_paged_and_filtered_by_caller_state_and_requester() throws SQLException {
    schema.execute(
        "SET session_replication_role = replica; UPDATE hold SET requester = 'bert' WHERE token ="
            + " 't5'; UPDATE hold SET caller = 'mall' WHERE token = 't6'");
    var holds = link.holds();

    var all = new HoldFilter("shop", null, null);
    assertThat(tokens(holds.page(ARENA, all, 0, 3))).containsExactly("t1", "t2", "t3");
    assertThat(tokens(holds.page(ARENA, all, fence(3).value(), 3))).containsExactly("t4", "t5");
    var released = new HoldFilter("shop", HoldState.RELEASED, null);
    assertThat(tokens(holds.page(ARENA, released, 0, 9))).containsExactly("t3");
    var annas = new HoldFilter("shop", HoldState.HELD, "anna");
    assertThat(tokens(holds.page(ARENA, annas, 0, 9))).containsExactly("t1", "t2", "t4");
  }

  @Test
  void live_holds_are_read_in_chunks_newest_first() {
    var holds = link.holds();

    var first = holds.live(ARENA, Long.MAX_VALUE, 3);
    var second = holds.live(ARENA, first.getLast().fence().value(), 3);

    assertThat(tokens(first)).containsExactly("t6", "t5", "t4");
    assertThat(tokens(second)).containsExactly("t2", "t1");
  }

  @Test
  void the_states_of_known_fences_are_returned() {
    assertThat(link.holds().states(ARENA, List.of(fence(1), fence(3), fence(99))))
        .isEqualTo(Map.of(fence(1), HoldState.HELD, fence(3), HoldState.RELEASED));
  }

  @Test
  void tokens_within_their_window_are_read_in_chunks() throws SQLException {
    schema.execute(
        "UPDATE token_result SET window_until = now() + interval '1 minute' WHERE token > 't2'");
    var tokens = link.tokens();

    var first = tokens.inWindow(ARENA, TokenRows.Key.FIRST, 3);
    var after = new TokenRows.Key(first.getLast().caller(), first.getLast().token());

    assertThat(first).extracting(TokenEntry::token).containsExactly("t3", "t4", "t5");
    assertThat(tokens.inWindow(ARENA, after, 3))
        .extracting(TokenEntry::token)
        .containsExactly("t6");
  }

  @Requirement("DP-EC-10")
  @Test
  void a_purge_deletes_elapsed_tokens_in_batches_and_no_others() throws SQLException {
    schema.execute(
        "UPDATE token_result SET window_until = now() + interval '1 minute' WHERE token = 't1'");
    schema.execute(
        "UPDATE token_result SET recorded_at = now() - interval '2 minutes',"
            + " window_until = now() - interval '1 minute' WHERE token = 't2'");
    var tokens = link.tokens();

    assertThat(tokens.purge(Duration.ofMinutes(2), 3)).isEqualTo(3);
    assertThat(tokens.purge(Duration.ofMinutes(2), 3)).isEqualTo(1);
    assertThat(tokens.purge(Duration.ofMinutes(2), 3)).isZero();
    assertThat(left()).as("within the margin").containsExactly("t1", "t2");

    assertThat(tokens.purge(Duration.ZERO, 3)).isEqualTo(1);
    assertThat(left()).containsExactly("t1");
  }

  @Test
  void an_epoch_opening_is_recorded_while_it_is_current_and_may_be_repeated() throws SQLException {
    var opening = opening(1, "a".repeat(40));
    assertThat(link.fenceEpochs().record(opening)).isTrue();
    assertThat(link.fenceEpochs().record(opening)).isTrue();
    assertThat(link.fenceEpochs().record(opening(1, "b".repeat(40)))).isFalse();

    schema.execute("UPDATE pool SET epoch = 2");
    assertThat(link.fenceEpochs().record(opening)).isFalse();
    assertThat(link.fenceEpochs().record(opening(2, "b".repeat(40)))).isTrue();

    assertThat(schema.texts("SELECT epoch || ' ' || cause || ' ' || stream_ms FROM fence_epoch"))
        .containsExactly("1 flushed 6", "2 flushed 6");
  }

  @Test
  void a_lease_has_one_owner_until_it_ends_or_is_released() throws SQLException {
    var leases = link.leases();
    var minute = Duration.ofMinutes(1);

    assertThat(leases.take("work", "one", minute)).isTrue();
    assertThat(leases.take("work", "other", minute)).isFalse();
    assertThat(leases.take("work", "one", minute)).isTrue();
    assertThat(leases.take("other work", "other", minute)).isTrue();

    leases.giveBack("work", "other");
    assertThat(leases.take("work", "other", minute)).isFalse();
    leases.giveBack("work", "one");
    assertThat(leases.take("work", "other", minute)).isTrue();

    schema.execute("UPDATE lease SET until = now() - interval '1 ms'");
    assertThat(leases.take("work", "one", minute)).isTrue();
  }

  private List<String> left() throws SQLException {
    return schema.texts("SELECT convert_from(token, 'UTF8') FROM token_result ORDER BY 1");
  }

  private static JournalLine line(long n, HoldRecord hold) {
    var text =
        Samples.called(
            Instant.ofEpochMilli(1_000 * n),
            "place_hold",
            hold.token(),
            hold.state().name(),
            hold.format());
    return JournalLine.parse(new JournalPosition(n, 0), new Epoch(1), text).getFirst();
  }

  private static Opening opening(long epoch, String runId) {
    return new Opening(ARENA, new Epoch(epoch), "flushed", runId, new JournalPosition(6, 0), 3, 1);
  }

  private static Fence fence(long sequence) {
    return Samples.fence(1, sequence);
  }

  private static List<String> tokens(List<HoldRecord> holds) {
    return holds.stream().map(HoldRecord::token).toList();
  }
}
