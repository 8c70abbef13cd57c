package io.holdfast.events.privacy;

import com.fasterxml.jackson.core.JsonFactory;
import io.holdfast.events.EventJson;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Redacts the answers that are stored under tokens of all routes but those of holds. A retry gets
/// the answer with the pseudonym in the place of the requester. The answers are walked in parts,
/// each in a transaction of its own: a busy service has millions of them. All may be repeated.
@Singleton
final class StoredAnswers {
  private static final int PART = 500;

  /// The routes are those that the index leaves out: their answers have no requester, no text of a
  /// caller about one, and no ticket. Whoever called: an operator may have resumed the checkout of
  /// another caller. An answer after its window is there until it is purged. Only the bodies that
  /// can be about the person leave Postgres.
  private static final String NEXT_PART =
      """
      SELECT caller, route, token_hash,
             CASE WHEN (pool IS NULL OR pool = ANY (?::text[]))
                   AND recorded_at <= to_timestamp(?::float8 / 1000)
                   AND (EXISTS (SELECT FROM unnest(?::bytea[]) AS form
                                 WHERE position(form IN body) > 0)
                     OR EXISTS (SELECT FROM unnest(?::bytea[]) AS name
                                 WHERE position(name IN body) > 0)
                        AND EXISTS (SELECT FROM regexp_matches(
                                           convert_from(body, 'UTF8'),
                                           '"(hold|reservation|bid)Id":"([^"]+)"', 'g') AS id
                                     WHERE id[2] = ANY (?::text[])))
                  THEN body END AS body
        FROM (SELECT * FROM request_result
               WHERE route NOT IN ('create_checkout', 'create_authorization', 'append_stream')
                 AND (caller, route, token_hash) > (?, ?, ?)
               ORDER BY caller, route, token_hash LIMIT ?) AS part
       ORDER BY caller, route, token_hash
      """;

  /// Another call may have taken over the row of a token whose window has ended.
  private static final String REPLACE =
      """
      UPDATE request_result r SET body = given.body
        FROM (SELECT unnest(?::text[]) AS caller, unnest(?::text[]) AS route,
                     unnest(?::bytea[]) AS token_hash, unnest(?::bytea[]) AS body,
                     unnest(?::bytea[]) AS body_before) AS given
       WHERE r.caller = given.caller AND r.route = given.route AND r.token_hash = given.token_hash
         AND r.body = given.body_before
      """;

  private static final String HOLDS =
      """
      SELECT hold_id FROM hold WHERE caller = ? AND requester = ?
      UNION
      SELECT hold_id FROM checkout WHERE caller = ? AND requester = ? AND ended_at IS NOT NULL
      """;

  private static final String TICKETS =
      """
      SELECT pool || '~' || number FROM ticket WHERE caller = ? AND requester = ?
      UNION
      SELECT pool || '~' || number FROM admission WHERE caller = ? AND requester = ?
      """;

  private static final JsonFactory JSON = new JsonFactory();

  private final Transactions transactions;

  StoredAnswers(Transactions transactions) {
    this.transactions = transactions;
  }

  /// What a walk has read and changed.
  ///
  /// @param rows that were looked at in Postgres
  /// @param bodies that were read
  /// @param replaced bodies
  record Walk(long parts, long rows, long bodies, long replaced) {
    private static final Walk NONE = new Walk(0, 0, 0, 0);

    private Walk plus(List<Row> part, int replacedNow) {
      var read = part.stream().filter(row -> row.body != null).count();
      return new Walk(parts + 1, rows + part.size(), bodies + read, replaced + replacedNow);
    }
  }

  private record Row(String caller, String route, byte[] token, byte @Nullable [] body) {
    private static final Row FIRST = new Row("", "", new byte[0], null);
  }

  private record Replacement(Row row, byte[] body) {}

  private record Part(List<Row> rows, int replaced) {}

  /// Once the requester is replaced in all other rows. The pseudonym is found there.
  Walk redact(Erasure erasure) {
    var redaction = transactions.read(connection -> redaction(connection, erasure));
    var walk = Walk.NONE;
    var last = Row.FIRST;
    while (last != null) {
      var after = last;
      var part = transactions.write(connection -> redactPart(connection, redaction, after));
      walk = walk.plus(part.rows, part.replaced);
      last = part.rows.size() < PART ? null : part.rows.getLast();
    }
    return walk;
  }

  private static AnswerRedaction redaction(Connection connection, Erasure erasure)
      throws SQLException {
    return new AnswerRedaction(
        erasure, texts(connection, HOLDS, erasure), texts(connection, TICKETS, erasure));
  }

  private static Set<String> texts(Connection connection, String sql, Erasure erasure)
      throws SQLException {
    var texts = new HashSet<String>();
    var caller = erasure.person().caller();
    try (var select = StatementRun.of(connection, sql)) {
      select.text(caller).text(erasure.pseudonym()).text(caller).text(erasure.pseudonym());
      select.execute().take(row -> texts.add(row.getString(1)));
    }
    return texts;
  }

  private static Part redactPart(Connection connection, AnswerRedaction redaction, Row after)
      throws SQLException {
    Plans.byIndex(connection);
    var rows = nextPart(connection, redaction, after);
    var replacements = new ArrayList<Replacement>();
    for (var row : rows) {
      if (row.body != null) {
        var body = EventJson.read(new String(row.body, StandardCharsets.UTF_8));
        var redacted = redaction.redacted(body, row.caller);
        if (!redacted.equals(body)) {
          var bytes = EventJson.write(redacted).getBytes(StandardCharsets.UTF_8);
          replacements.add(new Replacement(row, bytes));
        }
      }
    }
    return new Part(rows, replacements.isEmpty() ? 0 : replace(connection, replacements));
  }

  private static List<Row> nextPart(Connection connection, AnswerRedaction redaction, Row after)
      throws SQLException {
    var erasure = redaction.erasure();
    var name = erasure.person().requester();
    var rows = new ArrayList<Row>();
    try (var select = StatementRun.of(connection, NEXT_PART)) {
      select
          .rows(List.copyOf(erasure.pools()), columns -> columns.text(PoolName::value))
          .number(erasure.shreddedAt().toEpochMilli() + 1)
          .rows(forms(name), columns -> columns.bytes(StoredAnswers::bytes))
          .rows(names(name), columns -> columns.bytes(StoredAnswers::bytes))
          .rows(List.copyOf(redaction.holds()), columns -> columns.text(id -> id))
          .text(after.caller)
          .text(after.route)
          .bytes(latin1(after.token))
          .number(PART)
          .execute()
          .take(
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

  private static int replace(Connection connection, List<Replacement> replacements)
      throws SQLException {
    try (var update = StatementRun.of(connection, REPLACE)) {
      return update
          .rows(
              replacements,
              columns ->
                  columns
                      .text(each -> each.row.caller)
                      .text(each -> each.row.route)
                      .bytes(each -> latin1(each.row.token))
                      .bytes(each -> latin1(each.body))
                      .bytes(each -> latin1(each.row.body)))
          .execute()
          .take(_ -> {});
    }
  }

  /// Members that name the requester as a whole: as the requester, and in the id of a ticket.
  private static List<String> forms(String name) {
    var encoded = Base64.getUrlEncoder().withoutPadding();
    var ticket = "~" + encoded.encodeToString(name.getBytes(StandardCharsets.UTF_8)) + "~";
    return Stream.concat(
            names(name).stream().map(each -> "\"requester\":\"" + each + "\""), Stream.of(ticket))
        .toList();
  }

  /// The name as it stands in a text of JSON: as this class writes it, and as answers are written,
  /// which have two escapes in the place of a character beyond the basic plane.
  private static List<String> names(String name) {
    var characters = new StringWriter();
    var bytes = new ByteArrayOutputStream();
    try (var toCharacters = JSON.createGenerator(characters);
        var toBytes = JSON.createGenerator(bytes)) {
      toCharacters.writeString(name);
      toBytes.writeString(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Stream.of(characters.toString(), bytes.toString(StandardCharsets.UTF_8))
        .map(text -> text.substring(1, text.length() - 1))
        .distinct()
        .toList();
  }

  private static String bytes(String text) {
    return latin1(text.getBytes(StandardCharsets.UTF_8));
  }

  private static @Nullable String latin1(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
