package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.postgres.Transactions;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.util.PSQLException;

/// Only a version conflict is translated, and an append that fails writes nothing.
@ExtendWith(RealServers.class)
class AppendErrorsTest {
  private static Service service;
  private static Streams streams;
  private static Rows rows;

  @BeforeAll
  static void connect(TestServers servers, Service given) {
    service = given;
    streams = Streams.of(given);
    rows = Rows.of(servers);
  }

  /// A unique violation of another constraint is not a version conflict.
  @Test
  @Requirement("DH-RU-3")
  void any_other_error_is_not_translated() {
    var name = Streams.aName();
    refuseEvents("Poison", "23505", "some_other_key");
    try {
      var refused = streams.append(Api.token(), name, 0, "Poison");
      var thrown = failureOf(append(name, "Poison"));

      assertThat(Api.code(refused)).isEqualTo("storage-failure");
      assertThat(thrown.getSQLState()).isEqualTo("23505");
      assertThat(thrown.getServerErrorMessage().getConstraint()).isEqualTo("some_other_key");
    } finally {
      acceptEvents();
    }
    assertThat(streams.append(Api.token(), name, 0, "Poison").statusCode()).isEqualTo(201);
  }

  @Test
  @Requirement("DH-RU-3")
  void an_error_of_another_kind_is_not_translated() {
    var name = Streams.aName();
    refuseEvents("Poison", "22012", "stream_alias_key");
    try {
      assertThat(failureOf(append(name, "Poison")).getSQLState()).isEqualTo("22012");
      assertThat(Api.code(streams.append(Api.token(), name, 0, "Poison")))
          .isEqualTo("storage-failure");
    } finally {
      acceptEvents();
    }
  }

  @Test
  void events_and_answer_are_stored_together_or_not_at_all() {
    var name = Streams.aName();
    var token = Api.token();
    var count = count();
    rows.change(
        """
        CREATE FUNCTION refuse_answer() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''no answer today''; END'
        """);
    rows.change(
        """
        CREATE TRIGGER refuse_answer BEFORE UPDATE ON request_result
        FOR EACH ROW WHEN (NEW.route = 'append_stream') EXECUTE FUNCTION refuse_answer()
        """);
    try {
      assertThat(streams.append(token, name, 0, "UserCreated").statusCode()).isEqualTo(503);
    } finally {
      rows.change("DROP FUNCTION refuse_answer CASCADE");
    }

    assertThat(count()).isEqualTo(count);
    var retried = streams.append(token, name, 0, "UserCreated");
    assertThat(retried.statusCode()).isEqualTo(201);
    assertThat(Api.isReplay(retried)).isFalse();
  }

  private static Append append(String name, String type) {
    var ids = service.context().getBean(DeterministicStreamIds.class);
    return new Append(
        "operator",
        "User",
        ids.idsUnderAllKeys("User", List.of(name)),
        0,
        List.of(new Append.Event(type, "{}")));
  }

  /// The error that the append ends with, as Postgres reports it.
  private static PSQLException failureOf(Append append) {
    var appender = service.context().getBean(StreamAppender.class);
    var transactions = service.context().getBean(Transactions.class);
    var thrown = new PSQLException[1];
    assertThatThrownBy(
            () ->
                transactions.write(
                    connection -> {
                      try {
                        return appender.append(connection, append);
                      } catch (PSQLException e) {
                        thrown[0] = e;
                        throw e;
                      }
                    }))
        .hasCause(thrown[0]);
    return thrown[0];
  }

  private static void refuseEvents(String type, String state, String constraint) {
    rows.change(
        """
        CREATE FUNCTION refuse_event() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''poison'' USING ERRCODE = ''%s'', CONSTRAINT = ''%s''; END'
        """
            .formatted(state, constraint));
    rows.change(
        """
        CREATE TRIGGER refuse_event BEFORE INSERT ON stream_event
        FOR EACH ROW WHEN (NEW.type = '%s') EXECUTE FUNCTION refuse_event()
        """
            .formatted(type));
  }

  private static void acceptEvents() {
    rows.change("DROP FUNCTION refuse_event CASCADE");
  }

  private static long count() {
    return rows.number("SELECT count(*) FROM stream");
  }
}
