package io.holdfast.events;

import io.holdfast.postgres.Columns;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/// Writes events in the transaction of the change they describe: both are committed, or neither.
/// Events are written without a number; `EventSequencer` numbers them after the commit.
@Singleton
public final class EventWriter {
  /// Inserts one row for each event.
  public static final String INSERT =
      """
      INSERT INTO event_fresh (pool, type, subject, data)
      SELECT pool, type, subject, data
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS type,
                     unnest(?::text[]) AS subject, unnest(?::text[]) AS data) AS given
      """;

  /// Inserts one row for each sold hold, without data. `SaleEventReader` builds the data from the
  /// hold and its commitments, which never change, whenever the event is read.
  public static final String SOLD =
      """
      INSERT INTO event_fresh (pool, type, subject, data)
      SELECT pool, 'hold.confirmed', hold_id, ''
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id) AS given
      """;

  /// Binds `INSERT` as part of several statements that are sent at once. Returns the index of the
  /// next parameter.
  public static int bind(Columns.Slots slots, List<Event> events) throws SQLException {
    return slots
        .of(events)
        .text(event -> event.pool().value())
        .text(event -> event.type().word())
        .text(Event::subject)
        .text(event -> EventJson.write(event.data()))
        .next();
  }

  /// Inserts the events in the transaction of the change.
  public void append(Connection connection, List<Event> events) throws SQLException {
    insert(connection, events);
  }

  static void insert(Connection connection, List<Event> events) throws SQLException {
    if (events.isEmpty()) {
      return;
    }
    try (var insert = connection.prepareStatement(INSERT)) {
      bind(new Columns.Slots(connection, insert, 1, false), events);
      insert.executeUpdate();
    }
  }
}
