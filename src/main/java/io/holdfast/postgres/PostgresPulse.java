package io.holdfast.postgres;

import io.holdfast.Pulse;
import jakarta.inject.Singleton;
import java.sql.SQLException;

/// Whether Postgres gives a connection, and that connection an answer.
@Singleton
final class PostgresPulse implements Pulse {
  private static final int PATIENCE_SECONDS = 1;

  private final PostgresLink link;

  PostgresPulse(PostgresLink link) {
    this.link = link;
  }

  @Override
  public String name() {
    return "postgres";
  }

  @Override
  public boolean isAlive() {
    try (var connection = link.connection()) {
      return connection.isValid(PATIENCE_SECONDS);
    } catch (SQLException e) {
      return false;
    }
  }
}
