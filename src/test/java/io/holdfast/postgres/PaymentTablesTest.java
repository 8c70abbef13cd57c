package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The constraints of the payment tables, independent of the code.
@ExtendWith(RealServers.class)
class PaymentTablesTest {
  private static TestSchema schema;

  @BeforeAll
  static void aCallAndItsNotice(TestServers servers) throws SQLException {
    schema = new TestSchema(servers);
    schema.migrate();
    schema.execute(
        """
        INSERT INTO payment_call VALUES ('acme', 'c1', 'p1', 'authorise', 'ok', 500, 'EUR');
        INSERT INTO payment_notice VALUES
               ('acme', 'w1', 'c1', 'p1', 'done', 'r1', 500, 'EUR', NULL, 'counts')
        """);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE payment_call SET amount_cents = 1",
        "DELETE FROM payment_call",
        "TRUNCATE payment_call CASCADE",
        "UPDATE payment_notice SET verdict = 'differs'",
        "DELETE FROM payment_notice",
        "TRUNCATE payment_notice"
      })
  void payment_calls_and_notices_are_append_only(String sql) {
    refused(sql, "neither changed nor deleted");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          payment_notice_one_counts    | 'w2', 'c1', 'p1', 'declined', NULL, NULL, NULL, '', 'counts'
          payment_notice_key           | 'w1', 'c1', 'p1', 'done', 'r', 500, 'EUR', NULL, 'repeats'
          payment_notice_of_call       | 'w3', 'c9', 'p1', 'done', 'r', 500, 'EUR', NULL, 'counts'
          payment_notice_done_is_whole | 'w4', 'c1', 'p1', 'done', NULL, 500, 'EUR', NULL, 'repeats'
          """)
  void one_word_counts_on_each_call_that_was_made(String rule, String row) {
    refused("INSERT INTO payment_notice VALUES ('acme', " + row + ")", rule);
  }

  @ParameterizedTest
  @ValueSource(strings = {"NULL, 1, 0", "5, 6, 0", "5, 5, 6", "5, NULL, 1", "5, 5, -1"})
  void the_books_of_the_simulator_add_up(String cents) {
    refused(
        "INSERT INTO simulated_payment VALUES ('p', 'EUR', %s, false, 0, 1)".formatted(cents),
        "simulated_payment_adds_up");
  }

  @Test
  void the_service_itself_may_change_no_record() {
    for (var table : new String[] {"payment_call", "payment_notice"}) {
      refused("SET ROLE holdfast_service; DELETE FROM " + table, "permission denied");
    }
    refused("SET ROLE holdfast_auditor; DELETE FROM simulated_notice", "permission denied");
  }

  private static void refused(String sql, String rule) {
    assertThatThrownBy(() -> schema.execute(sql))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining(rule);
  }
}
