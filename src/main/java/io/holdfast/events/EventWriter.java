package io.holdfast.events;

import io.holdfast.postgres.StatementRun;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/// Writes events in the transaction of the change they describe: both are committed, or neither.
/// Events are written without a number; `EventSequencer` numbers them after the commit.
@Singleton
public final class EventWriter {
  /// Inserts one row for each event.
  private static final String INSERT =
      """
      INSERT INTO event_fresh (pool, type, subject, data)
      SELECT pool, type, subject, data
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS type,
                     unnest(?::text[]) AS subject, unnest(?::text[]) AS data) AS given
      """;

  /// Inserts the events in the transaction of the change.
  public void append(Connection connection, List<Event> events) throws SQLException {
    insert(connection, events);
  }

  static void insert(Connection connection, List<Event> events) throws SQLException {
    if (events.isEmpty()) {
      return;
    }
    try (var run = StatementRun.of(connection, INSERT)) {
      run.rows(
              events,
              columns ->
                  columns
                      .text(event -> event.pool().value())
                      .text(event -> event.type().word())
                      .text(Event::subject)
                      .text(event -> EventJson.write(event.data())))
          .execute();
    }
  }
}
