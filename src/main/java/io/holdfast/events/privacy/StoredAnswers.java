package io.holdfast.events.privacy;

import io.holdfast.events.EventJson;
import io.holdfast.postgres.StatementRun;
import io.holdfast.subject.CallerText;
import io.holdfast.subject.DataSubject;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Redacts the answers that are stored under tokens of all routes but those of holds. A retry gets
/// the answer with the pseudonym in the place of the requester.
final class StoredAnswers {
  /// Whoever called: an operator may have resumed the checkout of another caller. An answer after
  /// its window is there until it is purged.
  private static final String NAMING =
      """
      SELECT caller, route, token_hash, body FROM request_result
       WHERE position(?::bytea IN body) > 0 OR position(?::bytea IN body) > 0
      """;

  private static final String REPLACE =
      """
      UPDATE request_result r SET body = given.body
        FROM (SELECT unnest(?::text[]) AS caller, unnest(?::text[]) AS route,
                     unnest(?::bytea[]) AS token_hash, unnest(?::bytea[]) AS body) AS given
       WHERE r.caller = given.caller AND r.route = given.route AND r.token_hash = given.token_hash
      """;

  /// Members with texts of the caller.
  private static final Set<String> TEXTS =
      Set.of("key", "entityId", "correlationId", "orderId", "logicalKey");

  private final DataSubject person;
  private final String pseudonym;
  private final Set<String> holds;

  private StoredAnswers(DataSubject person, String pseudonym, Set<String> holds) {
    this.person = person;
    this.pseudonym = pseudonym;
    this.holds = holds;
  }

  private record Row(String caller, String route, byte[] token, byte[] body) {}

  /// @param holds the ids of the person's holds
  static void redact(Connection connection, DataSubject person, String pseudonym, Set<String> holds)
      throws SQLException {
    var answers = new StoredAnswers(person, pseudonym, holds);
    var rows = new ArrayList<Row>();
    for (var row : answers.naming(connection)) {
      var body = EventJson.read(new String(row.body, StandardCharsets.UTF_8));
      var redacted = answers.redacted(body);
      if (!redacted.equals(body)) {
        var bytes = EventJson.write(redacted).getBytes(StandardCharsets.UTF_8);
        rows.add(new Row(row.caller, row.route, row.token, bytes));
      }
    }
    replace(connection, rows);
  }

  private List<Row> naming(Connection connection) throws SQLException {
    var rows = new ArrayList<Row>();
    try (var select = StatementRun.of(connection, NAMING)) {
      select.bytes(latin1(json(person.requester()))).bytes(inTicket(person.requester())).execute();
      select.take(
          row ->
              rows.add(
                  new Row(
                      row.getString("caller"),
                      row.getString("route"),
                      row.getBytes("token_hash"),
                      row.getBytes("body"))));
    }
    return rows;
  }

  private static void replace(Connection connection, List<Row> rows) throws SQLException {
    try (var update = StatementRun.of(connection, REPLACE)) {
      update
          .rows(
              rows,
              columns ->
                  columns
                      .text(Row::caller)
                      .text(Row::route)
                      .bytes(row -> latin1(row.token))
                      .bytes(row -> latin1(row.body)))
          .execute();
    }
  }

  /// An object is about the person if it has the requester, or the id of a hold of theirs.
  private Map<String, @Nullable Object> redacted(Map<?, ?> object) {
    var isTheirs =
        person.requester().equals(object.get("requester"))
            || object.get("holdId") instanceof String hold && holds.contains(hold)
            || object.get("reservationId") instanceof String value && holds.contains(value);
    var copy = new LinkedHashMap<String, @Nullable Object>();
    object.forEach((name, value) -> copy.put((String) name, redacted(name, value, isTheirs)));
    return copy;
  }

  private @Nullable Object redacted(Object name, @Nullable Object value, boolean isTheirs) {
    return switch (value) {
      case Map<?, ?> _ when isTheirs && name.equals("metadata") -> Map.of();
      case Map<?, ?> inner -> redacted(inner);
      case List<?> list -> list.stream().map(each -> redacted("", each, false)).toList();
      case String text when isTheirs && name.equals("requester") -> pseudonym(text);
      case String text when name.equals("ticket") ->
          text.replace(inTicket(person.requester()), inTicket(pseudonym));
      case String text when isTheirs && TEXTS.contains((String) name) ->
          CallerText.hashedIfNamed(text, person.requester());
      case null, default -> value;
    };
  }

  private String pseudonym(String requester) {
    return requester.equals(person.requester()) ? pseudonym : requester;
  }

  /// The name as it stands in a text of JSON, without the quotation marks.
  private static byte[] json(String text) {
    var object = EventJson.write(Map.of("", text));
    return object.substring(4, object.length() - 2).getBytes(StandardCharsets.UTF_8);
  }

  /// The name as it stands in the id of a ticket.
  private static String inTicket(String name) {
    var bytes = name.getBytes(StandardCharsets.UTF_8);
    return "~" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes) + "~";
  }

  private static String latin1(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
