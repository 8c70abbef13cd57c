package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Postgres refuses a second stream and changed events, whatever the code above it does.
@ExtendWith(RealServers.class)
class StreamTablesTest {
  private static Rows rows;
  private static String id;

  @BeforeAll
  static void create(TestServers servers, Service service) {
    rows = Rows.of(servers);
    id = Streams.id(Streams.of(service).create(Streams.aName()));
  }

  @Test
  @Requirement("DH-RU-2")
  void an_id_is_taken_once() {
    assertRefused("INSERT INTO stream_alias VALUES ('%s', 'User:0000000000000000')", "alias_key");
    assertRefused(
        "INSERT INTO stream SELECT stream_id, entity_type, 'x', 1, 1 FROM stream WHERE stream_id ="
            + " '%s'",
        "stream_key");
    assertRefused("INSERT INTO stream_event VALUES ('%s', 1, 'Again', '{}')", "stream_event_key");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE stream SET caller = 'x' | only its version grows",
        "UPDATE stream SET version = version | only its version grows",
        "UPDATE stream SET version = version - 1 | only its version grows",
        "DELETE FROM stream | only its version grows",
        "TRUNCATE stream CASCADE | only its version grows",
        "UPDATE stream_event SET type = 'x' | neither changed nor deleted",
        "DELETE FROM stream_event | neither changed nor deleted",
        "UPDATE stream_alias SET stream_id = 'x' | neither changed nor deleted",
        "DELETE FROM stream_alias | neither changed nor deleted",
        "UPDATE stream_secret SET version = 9 | neither changed nor deleted",
        "INSERT INTO stream_alias VALUES ('User:0', 'User:0') | stream_alias_form",
        "INSERT INTO stream VALUES ('User:9999999999999999', 'User', 'x', 1, 1) |"
            + " stream_has_its_id",
      })
  void the_owner_of_the_tables_may_not(String sql, String why) {
    assertRefused(sql, why);
  }

  @Test
  void data_is_a_json_object() {
    assertRefused("INSERT INTO stream_event VALUES ('%s', 2, 'T', '[]')", "data_is_object");
    assertRefused("INSERT INTO stream_event VALUES ('%s', 2, 'T', '{')", "data_is_object");
    assertThat(rows.number("SELECT count(*) FROM stream_event")).isEqualTo(1);
  }

  private static void assertRefused(String sql, String why) {
    assertThatThrownBy(() -> rows.change(sql.replace("%s", id))).cause().hasMessageContaining(why);
  }
}
