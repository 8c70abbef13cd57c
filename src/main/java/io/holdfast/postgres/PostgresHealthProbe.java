package io.holdfast.postgres;

import io.holdfast.runtime.HealthProbe;
import jakarta.inject.Singleton;
import java.sql.SQLException;

/// Checks that Postgres accepts a connection and answers a query.
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
