package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The constraints of the table `hold`, independent of the code.
@ExtendWith(RealServers.class)
class HoldTableTest {
  private final TestSchema schema;

  HoldTableTest(TestServers servers) {
    schema = new TestSchema(servers);
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void aHoldFromTwelveToHalfPast() throws SQLException {
    schema.clear("hold");
    schema.execute(
        """
        INSERT INTO hold (pool, hold_id, caller, requester, items, fence, salt, token, placed_at,
                          lease_until, lease_ms, expires_at, state)
        VALUES ('arena', 'one', 'shop', 'anna', '{A-1,A-2}', 4294967297, '0123456789abcdef', 't',
                '2026-03-01 12:00Z', '2026-03-01 12:10Z', 600000, '2026-03-01 12:30Z', 'HELD')
        """);
  }

  @ParameterizedTest(name = "{0} {1} at {2}")
  @CsvSource(
      textBlock =
          """
          CONFIRMED,        , 12:05
          RELEASED,         , 12:00
          EXPIRED,    WINDOW, 12:30
          EXPIRED,    LEASE,  12:10
          EXPIRED,    FORCED, 12:01
          EXPIRED,    LOST,   12:01
          """)
  void a_hold_can_end_in_each_of_these_ways(String state, String reason, String time)
      throws SQLException {
    schema.execute(end(state, reason, time));

    assertThat(schema.texts("SELECT state FROM hold")).containsExactly(state);
  }

  @Requirement({"PC-INV-1", "PC-INV-8"})
  @ParameterizedTest(name = "{0} {1} at {2}")
  @CsvSource(
      textBlock =
          """
          LAPSED,           , 12:05, invalid input value for enum hold_state
          HELD,             , 12:05, hold_end_dated
          EXPIRED,          , 12:40, hold_end_reason_known
          EXPIRED,    TIRED,  12:40, invalid input value for enum hold_end_reason
          RELEASED,   WINDOW, 12:40, hold_end_reason_known
          RELEASED,         , 11:59, hold_end_after
          CONFIRMED,        , 11:59, hold_end_after
          EXPIRED,    FORCED, 11:59, hold_end_after
          EXPIRED,    WINDOW, 12:29, hold_end_after_its_time
          EXPIRED,    LEASE,  12:09, hold_end_after_its_time
          """)
  void an_end_that_cannot_be_is_refused_by_name_of_the_rule(
      String state, String reason, String time, String rule) {
    assertThatThrownBy(() -> schema.execute(end(state, reason, time))).hasMessageContaining(rule);
  }

  @Requirement("PC-INV-1")
  @Test
  void an_ended_hold_without_the_time_of_its_end_is_refused() {
    assertThatThrownBy(() -> schema.execute("UPDATE hold SET state = 'RELEASED'"))
        .hasMessageContaining("hold_end_dated");
    assertThatThrownBy(() -> schema.execute("UPDATE hold SET state = NULL"))
        .hasMessageContaining("not-null");
  }

  @Requirement("PC-INV-3")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "state = 'HELD', ended_at = NULL",
        "state = 'RELEASED'",
        "state = 'EXPIRED', end_reason = 'FORCED'",
        "ended_at = '2026-03-01 12:06Z'",
        "pin_no = 7",
        "lease_until = '2026-03-01 12:11Z'"
      })
  void an_ended_hold_cannot_be_changed(String change) throws SQLException {
    schema.execute(end("CONFIRMED", null, "12:05"));

    assertThatThrownBy(() -> schema.execute("UPDATE hold SET " + change))
        .hasMessageContaining("is CONFIRMED and stays as it is");
    assertThat(schema.texts("SELECT state FROM hold")).containsExactly("CONFIRMED");
  }

  @Requirement({"PC-INV-4", "PC-INV-5", "PC-INV-6"})
  @ParameterizedTest
  @ValueSource(
      strings = {
        "pool = 'other'",
        "hold_id = 'two'",
        "caller = 'mall'",
        "requester = 'bert'",
        "items = '{A-1}'",
        "quantity = 1",
        "fence = 4294967298",
        "salt = 'fedcba9876543210'",
        "token = 'u'",
        "placed_at = '2026-03-01 12:01Z'",
        "expires_at = '2026-03-01 12:31Z'",
        "lease_ms = 1"
      })
  void a_hold_keeps_what_it_was_placed_with(String change) {
    assertThatThrownBy(() -> schema.execute("UPDATE hold SET " + change))
        .hasMessageContaining("keeps what it was placed with");
  }

  @Requirement("PC-INV-6")
  @ParameterizedTest
  @ValueSource(strings = {"2026-03-01 12:00Z", "2026-03-01 11:00Z"})
  void a_hold_that_expires_no_later_than_it_is_placed_is_refused(String expiresAt) {
    var given = "placed_at, '%1$s', 1, '%1$s',".formatted(expiresAt);
    var impossible = copy("two", 2).replaceFirst("(?s)placed_at,.*expires_at,", given);

    assertThatThrownBy(() -> schema.execute(impossible))
        .hasMessageContaining("hold_window_positive");
  }

  @Test
  void a_fence_belongs_to_one_hold() {
    assertThatThrownBy(() -> schema.execute(copy("two", 4294967297L)))
        .hasMessageContaining("hold_fence_once");
    assertThatCode(() -> schema.execute(copy("two", 4294967298L))).doesNotThrowAnyException();
  }

  @Test
  void a_pin_number_rises_and_never_falls() throws SQLException {
    schema.execute("UPDATE hold SET pin_no = 2");

    assertThatThrownBy(() -> schema.execute("UPDATE hold SET pin_no = 1"))
        .hasMessageContaining("never falls");
  }

  @Requirement("PC-INV-10")
  @ParameterizedTest
  @ValueSource(strings = {"DELETE FROM hold", "TRUNCATE hold"})
  void a_hold_is_never_deleted(String sql) throws SQLException {
    assertThatThrownBy(() -> schema.execute(sql)).hasMessageContaining("never deleted");
    assertThat(schema.texts("SELECT hold_id FROM hold")).containsExactly("one");
  }

  @Requirement("PC-ADV-3")
  @Test
  void all_that_was_held_between_two_times_is_one_query() throws SQLException {
    schema.execute(
        copy("two", 2).replace("placed_at,", "placed_at - interval '8 hours 30 minutes',"));
    schema.execute(
        copy("three", 3).replace("placed_at,", "placed_at - interval '10 hours 1 minute',"));

    assertThat(
            schema.texts(
                """
                SELECT DISTINCT unnest(items) FROM hold
                 WHERE placed_at >= '2026-03-01 02:00Z' AND placed_at < '2026-03-01 04:00Z'
                 ORDER BY 1
                """))
        .containsExactly("A-1", "A-2");
  }

  private static String end(String state, String reason, String time) {
    return "UPDATE hold SET state = '%s', end_reason = %s, ended_at = '2026-03-01 %sZ'"
        .formatted(state, reason == null ? "NULL" : "'" + reason + "'", time);
  }

  private static String copy(String id, long fence) {
    return """
    INSERT INTO hold SELECT pool, '%s', caller, requester, items, quantity, %d, salt, token, placed_at,
           lease_until, lease_ms, expires_at, pin_no, state FROM hold WHERE hold_id = 'one'
    """
        .formatted(id, fence);
  }
}
