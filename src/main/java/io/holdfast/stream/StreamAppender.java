package io.holdfast.stream;

import io.holdfast.postgres.StatementRun;
import io.holdfast.stream.AppendOutcome.Appended;
import io.holdfast.stream.AppendOutcome.OtherCaller;
import io.holdfast.stream.AppendOutcome.VersionConflict;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/// Appends events to a stream with optimistic concurrency. Of several appends that expect one
/// version, one succeeds. It runs in the transaction of its caller, which commits also after a
/// conflict: a savepoint takes back what the append has written until then.
///
/// A business key has one id for each configured key. A create inserts all of them, so the primary
/// key of `stream_alias` decides between creates under different keys as it does under one key,
/// also while they run at the same time. The ids are inserted in their order; otherwise two creates
/// could wait for each other.
@Singleton
final class StreamAppender {
  private static final String UNIQUE_VIOLATION = "23505";

  /// A violation of one of these is a version conflict. Every other error is not.
  private static final Set<String> VERSION_KEYS =
      Set.of("stream_alias_key", "stream_key", "stream_event_key");

  private static final String INSERT_IDS =
      """
      INSERT INTO stream_alias (alias, stream_id)
      SELECT alias, ? FROM unnest(?::text[]) AS given (alias)
      """;

  private static final String INSERT_STREAM =
      """
      INSERT INTO stream (stream_id, entity_type, caller, key_version, version)
      VALUES (?, ?, ?, ?, ?)
      """;

  private static final String INSERT_EVENTS =
      """
      INSERT INTO stream_event (stream_id, version, type, data)
      SELECT ?, ? + given.position, given.type, given.data
        FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS given (type, data, position)
      """;

  private static final String ADVANCE =
      """
      UPDATE stream SET version = stream.version + ?
       WHERE stream_id = (SELECT stream_id FROM stream_alias WHERE alias = ANY (?) LIMIT 1)
         AND caller = ?
         AND version = ?
      RETURNING stream_id, version
      """;

  private static final String FIND =
      """
      SELECT stream.caller, stream.version
        FROM stream_alias JOIN stream USING (stream_id)
       WHERE stream_alias.alias = ANY (?)
      """;

  private final IdKeys keys;
  private final IdKeyRegister register;

  StreamAppender(StreamSettings settings, IdKeyRegister register) {
    this.keys = settings.keys();
    this.register = register;
  }

  AppendOutcome append(Connection connection, Append append) throws SQLException {
    var savepoint = connection.setSavepoint();
    try {
      return append.isCreate() ? create(connection, append) : extend(connection, append);
    } catch (SQLException e) {
      if (!isVersionConflict(e)) {
        throw e;
      }
      connection.rollback(savepoint);
      return refused(connection, append);
    }
  }

  private AppendOutcome create(Connection connection, Append append) throws SQLException {
    register.record(connection);
    var streamId = append.ids().getFirst();
    try (var insert = connection.prepareStatement(INSERT_IDS)) {
      insert.setString(1, streamId);
      var ids = append.ids().stream().sorted().toArray(String[]::new);
      insert.setArray(2, connection.createArrayOf("text", ids));
      insert.executeUpdate();
    }
    var version = append.events().size();
    try (var insert = connection.prepareStatement(INSERT_STREAM)) {
      insert.setString(1, streamId);
      insert.setString(2, append.entityType());
      insert.setString(3, append.caller());
      insert.setInt(4, keys.current().version());
      insert.setLong(5, version);
      insert.executeUpdate();
    }
    insertEvents(connection, streamId, 0, append.events());
    return new Appended(streamId, version);
  }

  private static AppendOutcome extend(Connection connection, Append append) throws SQLException {
    var advanced = advance(connection, append);
    if (advanced == null) {
      return refused(connection, append);
    }
    var count = append.events().size();
    insertEvents(connection, advanced.streamId(), advanced.version() - count, append.events());
    return advanced;
  }

  /// Returns null if there is no stream of this caller with the expected version. Waits for an
  /// append that is under way, and then compares again.
  private static @Nullable Appended advance(Connection connection, Append append)
      throws SQLException {
    try (var update = connection.prepareStatement(ADVANCE)) {
      update.setLong(1, append.events().size());
      update.setArray(2, connection.createArrayOf("text", append.ids().toArray()));
      update.setString(3, append.caller());
      update.setLong(4, append.expectedVersion());
      try (var rows = update.executeQuery()) {
        return rows.next()
            ? new Appended(rows.getString("stream_id"), rows.getLong("version"))
            : null;
      }
    }
  }

  private static void insertEvents(
      Connection connection, String streamId, long after, List<Append.Event> events)
      throws SQLException {
    try (var insert = StatementRun.of(connection, INSERT_EVENTS)) {
      insert
          .text(streamId)
          .number(after)
          .rows(events, columns -> columns.text(Append.Event::type).text(Append.Event::data))
          .execute();
    }
  }

  private static AppendOutcome refused(Connection connection, Append append) throws SQLException {
    try (var select = connection.prepareStatement(FIND)) {
      select.setArray(1, connection.createArrayOf("text", append.ids().toArray()));
      try (var rows = select.executeQuery()) {
        if (!rows.next()) {
          return new VersionConflict(0);
        }
        return rows.getString("caller").equals(append.caller()) || append.isCreate()
            ? new VersionConflict(rows.getLong("version"))
            : new OtherCaller();
      }
    }
  }

  private static boolean isVersionConflict(SQLException e) {
    return UNIQUE_VIOLATION.equals(e.getSQLState())
        && e instanceof PSQLException refused
        && refused.getServerErrorMessage() != null
        && VERSION_KEYS.contains(refused.getServerErrorMessage().getConstraint());
  }
}
