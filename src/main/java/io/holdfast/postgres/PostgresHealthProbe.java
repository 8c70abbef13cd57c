package io.holdfast.postgres;

import io.holdfast.runtime.HealthProbe;
import jakarta.inject.Singleton;
import java.sql.SQLException;

/// Whether Postgres gives a connection, and that connection an answer.
@Singleton
final class PostgresHealthProbe implements HealthProbe {
  private static final int PATIENCE_SECONDS = 1;

  private final ConnectionPool link;

  PostgresHealthProbe(ConnectionPool link) {
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
