package io.holdfast.events;

import io.holdfast.postgres.Columns;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/// Takes events down in the transaction of the change that they tell of: both are there, or
/// neither. Here they have no place in their pool's order yet; that is given to what is committed.
@Singleton
public final class EventWriter {
  /// One row for each event.
  public static final String INSERT =
      """
      INSERT INTO event_fresh (pool, type, subject, data)
      SELECT pool, type, subject, data
        FROM unnest(?::text[], ?::text[], ?::text[], ?::text[])
          AS given (pool, type, subject, data)
      """;

  /// One row for each hold that was sold. All that there is to tell of a sale is on record for
  /// good, and is taken from there whenever the event is read.
  public static final String SOLD =
      """
      INSERT INTO event_fresh (pool, type, subject, data)
      SELECT pool, 'hold.confirmed', hold_id, ''
        FROM unnest(?::text[], ?::text[]) AS given (pool, hold_id)
      """;

  /// For whoever sends several statements at once. Returns the number of the first parameter behind
  /// its own.
  public static int bind(Columns.Slots slots, List<Event> events) throws SQLException {
    return slots
        .of(events)
        .text(event -> event.pool().value())
        .text(event -> event.type().word())
        .text(Event::subject)
        .text(event -> EventJson.write(event.data()))
        .next();
  }

  /// In the transaction of the change.
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
