package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.journal.store.JournalStoreOutcome.Stored;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The refusals of one caller are one line of the journal, and the auditor misses none of them.
@ExtendWith(RealServers.class)
class CountedRefusalsTest {
  private static final PoolName ARENA = new PoolName("arena");
  private static final Epoch FIRST = new Epoch(1);
  private static final int STORM = 500;
  private static final int BATCHES = 5;
  private static final long ENTRY = 65_536;

  private final TestSchema schema;
  private final TestLink link;
  private final List<JournalLine> lines = new ArrayList<>();
  private JournalPosition cursor = JournalPosition.START;
  private long now;

  CountedRefusalsTest(TestServers servers) {
    schema = new TestSchema(servers);
    link = TestLink.to(servers.jdbcUrl());
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  /// Lines of a call and of the next one are a millisecond apart.
  @BeforeEach
  void aStorm() throws SQLException {
    schema.clear("hold", "journal", "journal_cursor", "token_result", "token_replay", "pool");
    schema.execute("INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 1)");
    now = Long.parseLong(schema.texts("SELECT (extract(epoch FROM now()) * 1000)::bigint").get(0));
    for (var n = 1; n <= STORM; n++) {
      refused("shop", "t" + n, "TAKEN\tA-" + n);
    }
  }

  @AfterEach
  void close() {
    link.close();
  }

  @Requirement({"IR-CFR-03", "IR-GA-4"})
  @Test
  void a_storm_is_one_line_and_every_token_keeps_its_entry() throws SQLException {
    store();

    assertThat(schema.texts("SELECT cardinality(tokens) FROM journal")).containsExactly("" + STORM);
    assertThat(schema.texts("SELECT encode(token, 'escape') || ' ' || outcome FROM token_result"))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(1, STORM).mapToObj(n -> "t" + n + " TAKEN\tA-" + n).toList());
    assertThat(schema.texts("SELECT DISTINCT happened_at - line_at FROM token_use")).hasSize(STORM);
    assertThat(violations()).isEmpty();
    assertThat(examined("IR-INV-1")).isEqualTo(STORM);
    assertThat(examined("IR-INV-7")).isEqualTo(STORM);
    assertThat(examined("P2")).isEqualTo(STORM);
  }

  @Requirement({"IR-GA-2", "IR-GA-4"})
  @ParameterizedTest
  @CsvSource({
    "t7, 59, 1:other, 'IR-INV-1,IR-INV-4,DP-INV-1'",
    "t7, 59, , 'IR-INV-1,DP-INV-1'",
    "t7, 61, 1:other, ''",
    "new, 1, 1:other, ''"
  })
  void a_counted_token_that_is_used_again_in_its_window_is_found(
      String token, long seconds, String digest, String found) throws SQLException {
    now += seconds * 1_000 - STORM + 7;
    line("shop", token, digest == null ? Samples.DIGEST : digest, "LIMIT\t4");
    store();

    assertThat(violations())
        .containsAll(List.of(found.isEmpty() ? new String[0] : found.split(",")));
    assertThat(violations().isEmpty()).isEqualTo(found.isEmpty());
  }

  @Requirement("IR-GA-2")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "P2       | UPDATE token_result SET outcome = 'TAKEN' || E'\\t' || 'A-8' WHERE token ="
            + " 't7'",
        "IR-INV-7 | DELETE FROM token_result WHERE token = 't7'",
        "DP-INV-2 | UPDATE token_result SET recorded_at = recorded_at + interval '9 s' WHERE token"
            + " = 't7'"
      })
  void a_change_of_one_entry_is_found(String id, String change) throws SQLException {
    store();

    schema.execute(change);

    assertThat(violations()).contains(id);
  }

  /// The first answer is in a counted line, and so is nothing else of the token.
  @Requirement("IR-GA-2")
  @ParameterizedTest
  @CsvSource({"TAKEN, 0", "LIMIT, 1"})
  void a_replay_that_changed_a_counted_refusal_is_found(String word, long violations)
      throws SQLException {
    var used = now - STORM + 7;
    now += 10_000;
    line("shop", "t7", Samples.DIGEST, word + "\t4");
    store();

    schema.execute(
        """
        INSERT INTO token_replay
        SELECT sha256('arena'::bytea || '\\x00'::bytea || 't7'::bytea), 'shop', 'place_hold', used,
               'arena', 't7', 1, used, used + interval '20 s'
          FROM (SELECT to_timestamp(%d / 1000.0) AS used) uses
        """
            .formatted(used));

    assertThat(finding("DP-INV-3").examined()).isOne();
    assertThat(finding("DP-INV-3").violations()).isEqualTo(violations);
  }

  @Test
  void only_equal_refusals_of_one_caller_within_a_minute_share_a_line() throws SQLException {
    refused("other", "t1", "TAKEN\tA-1");
    refused("shop", "u1", "LIMIT\t4");
    line("shop", "u2", "place_hold", Samples.DIGEST, "30000", "TAKEN\tA-1");
    line("shop", "u3", "release", Samples.DIGEST, "60000", "NOT_HELD");
    var hold = Samples.aHold(1, 1);
    line("shop", hold.token(), Samples.DIGEST, "HELD\t" + hold.format());
    now += 60_001;
    refused("shop", "u4", "TAKEN\tA-1");
    store();

    assertThat(
            schema.texts(
                "SELECT concat_ws(' ', caller, word, window_ms, cardinality(tokens)) FROM journal"))
        .containsExactlyInAnyOrder(
            "shop TAKEN 60000 " + STORM,
            "other TAKEN 60000",
            "shop LIMIT 60000",
            "shop TAKEN 30000",
            "shop NOT_HELD 60000",
            "shop HELD 60000",
            "shop TAKEN 60000");
  }

  /// Measured with tokens that are UUIDs. A line that is alone has its token and digest as before.
  @Requirement("AU-21")
  @Test
  void a_counted_refusal_costs_a_fifth_of_a_line_or_less() throws SQLException {
    lines.clear();
    var empty = bytes();
    for (var batch = 0; batch < BATCHES; batch++) {
      uuids(2_000, 1);
      store();
      lines.clear();
    }
    var counted = bytes() - empty;
    uuids(2_000, 61_000);
    store();
    var alone = (bytes() - counted - empty) * BATCHES;

    System.out.printf(
        "bytes of a refusal: %d alone, %d counted%n",
        alone / BATCHES / 2_000, counted / BATCHES / 2_000);
    assertThat(counted * 5).isLessThan(alone);
  }

  private void uuids(int count, long apartMs) {
    for (var n = 0; n < count; n++) {
      now += apartMs;
      refused("shop", UUID.randomUUID().toString(), "TAKEN\tA-" + n);
    }
  }

  private long bytes() throws SQLException {
    schema.execute("VACUUM FULL journal");
    return schema
        .texts(
            """
            SELECT pg_total_relation_size(c.oid) FROM pg_inherits i JOIN pg_class c ON c.oid = inhrelid
             WHERE inhparent = 'journal'::regclass
            """)
        .stream()
        .mapToLong(Long::parseLong)
        .sum();
  }

  private void refused(String caller, String token, String outcome) {
    line(caller, token, Samples.DIGEST, outcome);
  }

  private void line(String caller, String token, String digest, String outcome) {
    line(caller, token, "place_hold", digest, "60000", outcome);
  }

  private void line(String... fields) {
    now++;
    var text = "1\t" + now + "\t0\u001e" + String.join("\t", fields);
    lines.addAll(JournalLine.parse(new JournalPosition(now, ENTRY), FIRST, text));
  }

  private void store() {
    var to = lines.getLast().id();
    assertThat(link.journal().store(ARENA, FIRST, cursor, to, lines))
        .isEqualTo(new Stored(lines.size(), 0));
    cursor = to;
  }

  private List<String> violations() {
    return findings().filter(each -> each.violations() > 0).map(Finding::id).toList();
  }

  private long examined(String id) {
    return finding(id).examined();
  }

  private Finding finding(String id) {
    return findings().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
  }

  private Stream<Finding> findings() {
    try (var connection = schema.servers().connection()) {
      var findings = new ArrayList<Finding>();
      for (var query : TokenAuditQueries.ALL) {
        findings.addAll(Auditor.run(connection, query));
      }
      return findings.stream();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
