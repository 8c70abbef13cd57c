package io.holdfast.journal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The constraints of the journal tables, and the partitions that are created ahead.
@ExtendWith(RealServers.class)
class JournalConstraintsTest {
  private static final String IN_TEN_MONTHS = "(now() + interval '10 months')";

  private final TestSchema schema;
  private final TestLink link;

  JournalConstraintsTest(TestServers servers) {
    schema = new TestSchema(servers);
    link = TestLink.to(servers.jdbcUrl());
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void aLineOfNowAndOneOfTheFarFuture() throws SQLException {
    schema.clear("journal", "journal_cursor", "fence_epoch", "pool");
    schema.execute("INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 1)");
    schema.execute(line("now()"));
    schema.execute(line(IN_TEN_MONTHS));
  }

  /// Otherwise the number of new partitions depends on the order of the tests.
  @BeforeEach
  void dropPartitionsAhead() throws SQLException {
    schema.execute(
        """
        DO $$
        DECLARE
            partition text;
        BEGIN
            FOR partition IN
                SELECT relname FROM pg_class
                 WHERE relname ~ '^journal_[0-9_]+$' AND relkind = 'r'
                   AND relname > to_char(now() AT TIME ZONE 'UTC' + interval '2 months',
                                         '"journal_"YYYY_MM')
            LOOP
                EXECUTE 'DROP TABLE ' || partition;
            END LOOP;
        END $$
        """);
  }

  @AfterEach
  void close() {
    link.close();
  }

  @Requirement("PC-INV-10")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE journal SET word = 'TAKEN'",
        "DELETE FROM journal",
        "TRUNCATE journal",
        "UPDATE journal_other SET word = 'TAKEN'",
        "DELETE FROM journal_other",
        "TRUNCATE journal_other",
        "UPDATE journal_%1$s SET word = 'TAKEN'",
        "DELETE FROM journal_%1$s",
        "TRUNCATE journal_%1$s"
      })
  void a_line_is_neither_changed_nor_deleted_through_any_table(String sql) throws SQLException {
    var month = schema.texts("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')").getFirst();

    assertThatThrownBy(() -> schema.execute(sql.formatted(month)))
        .hasMessageContaining("neither changed nor deleted");
    assertThat(schema.texts("SELECT word FROM journal")).containsExactly("HELD", "HELD");
  }

  @Requirement("IR-ST-02")
  @ParameterizedTest
  @ValueSource(strings = {"heartbeat", "PLACE_HOLD", "", "place_hold "})
  void only_the_four_actions_can_be_stored(String action) {
    assertThatThrownBy(() -> schema.execute(token(action)))
        .hasMessageContaining("invalid input value for enum token_action");
    assertThatThrownBy(
            () -> schema.execute(line("now()").replace("NULL, 'HELD'", "'" + action + "', 'HELD'")))
        .hasMessageContaining("invalid input value for enum token_action");
  }

  @Requirement("IR-ST-02")
  @ParameterizedTest
  @ValueSource(strings = {"place_hold", "confirm", "release", "expire"})
  void each_of_the_four_actions_can_be_stored(String action) throws SQLException {
    schema.clear("token_result");

    schema.execute(token(action));

    assertThat(schema.texts("SELECT action FROM token_result")).containsExactly(action);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE journal_cursor SET stream_ms = 99, stream_seq = 9",
        "UPDATE journal_cursor SET stream_seq = 4",
        "UPDATE journal_cursor SET pool = 'other'",
        "DELETE FROM journal_cursor",
        "TRUNCATE journal_cursor"
      })
  void a_cursor_neither_moves_back_nor_is_deleted(String sql) throws SQLException {
    schema.execute("INSERT INTO journal_cursor VALUES ('arena', 100, 5)");

    assertThatThrownBy(() -> schema.execute(sql)).hasMessageContaining("cursor");
    schema.execute("UPDATE journal_cursor SET stream_ms = 101, stream_seq = 0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE fence_epoch SET cause = 'other'",
        "DELETE FROM fence_epoch",
        "TRUNCATE fence_epoch"
      })
  void a_recorded_epoch_opening_cannot_be_changed(String sql) throws SQLException {
    schema.execute("INSERT INTO fence_epoch VALUES ('arena', 1, 'new', 'a', 0, 0, 0, 0)");

    assertThatThrownBy(() -> schema.execute(sql)).hasMessageContaining("neither changed nor");
  }

  @Test
  void partitions_are_created_once_and_lines_go_to_their_month() throws SQLException {
    var partitions = new JournalPartitions(link.transactions(), null);
    assertThat(schema.texts("SELECT tableoid::regclass::text FROM journal ORDER BY recorded_at"))
        .last()
        .isEqualTo("journal_other");
    var before = Integer.parseInt(schema.texts(COUNT).getFirst());

    assertThat(partitions.create(6)).isEqualTo(7 - before);
    assertThat(partitions.create(6)).isZero();

    schema.execute(line("now() + interval '5 months'"));
    assertThat(schema.texts("SELECT tableoid::regclass::text FROM journal WHERE word = 'HELD'"))
        .contains("journal_other")
        .filteredOn(name -> name.matches("journal_\\d{4}_\\d{2}"))
        .hasSize(2);
  }

  private static final String COUNT =
      "SELECT count(*)::text FROM pg_class WHERE relname ~ '^journal_[0-9_]+$' AND relkind = 'r'";

  @Test
  void a_month_with_lines_in_the_default_partition_does_not_stop_the_others() throws SQLException {
    var months = new JournalPartitions(link.transactions(), null).create(12);

    assertThat(months).isPositive();
    assertThat(schema.texts("SELECT tableoid::regclass::text FROM journal ORDER BY recorded_at"))
        .last()
        .isEqualTo("journal_other");
    assertThat(
            schema.texts(
                "SELECT to_regclass('journal_' || to_char(%s, 'YYYY_MM'))::text"
                    .formatted(IN_TEN_MONTHS)))
        .containsOnlyNulls();
    schema.execute(line(IN_TEN_MONTHS + " + interval '1 second'"));
    assertThat(schema.texts("SELECT word FROM journal")).hasSize(3);
  }

  private static String line(String recordedAt) {
    return """
    INSERT INTO journal (pool, recorded_at, stream_seq, epoch, happened_at, action, word, detail)
    VALUES ('arena', %s, 0, 1, now(), NULL, 'HELD', '')
    """
        .formatted(recordedAt);
  }

  private static String token(String action) {
    return """
    INSERT INTO token_result
    VALUES ('arena', 'shop', 't', '%s', 'd', '1', 'HELD', now(), now() + interval '1 minute')
    """
        .formatted(action);
  }
}
