package io.holdfast.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import io.holdfast.runtime.StartFailure;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/// The one pool of connections, and a fair queue before it. Everything that can wait has an end on
/// both sides: the server stops statements, locks and forgotten transactions, the driver stops
/// waiting for a dead server.
@Singleton
public final class ConnectionPool implements AutoCloseable {
  private static final Duration LEAK_WARNING = Duration.ofSeconds(30);
  private static final Duration IDLE_MAX = Duration.ofMinutes(5);
  private static final Duration LIFE_MAX = Duration.ofMinutes(10);
  private static final int IDLE_MIN = 2;

  /// What every connection becomes: a role without DDL that cannot change what is append-only.
  private static final String SERVICE = "holdfast_service";

  private final HikariDataSource pool;
  private final BoundedDataSource bounded;

  ConnectionPool(PostgresSettings settings, MeterRegistry meters) {
    pool = open(settings);
    bounded = new BoundedDataSource(pool, settings.poolSize(), settings.acquireTimeout());
    Gauge.builder("holdfast.db.connections.free", bounded, BoundedDataSource::free)
        .description("Connections to Postgres that nobody uses")
        .register(meters);
    Gauge.builder("holdfast.db.callers.waiting", bounded, BoundedDataSource::waiting)
        .description("Callers that wait for a connection to Postgres")
        .register(meters);
  }

  /// A connection of the caller's own, outside of any transaction; to be closed by the caller.
  public Connection connection() throws SQLException {
    return bounded.borrow();
  }

  /// Who serves it at the other end, for whoever loses it and wants to know when that one has
  /// ended.
  public static int backendOf(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getBackendPID();
  }

  @Override
  @PreDestroy
  public void close() {
    pool.close();
  }

  /// What Micronaut Data takes its connections from.
  public DataSource dataSource() {
    return bounded;
  }

  private static HikariDataSource open(PostgresSettings settings) {
    try {
      return new HikariDataSource(configuration(settings));
    } catch (RuntimeException e) {
      throw unreachable(settings, e);
    }
  }

  private static HikariConfig configuration(PostgresSettings settings) {
    var config = new HikariConfig();
    config.setPoolName("postgres");
    config.setJdbcUrl(settings.url());
    config.setUsername(settings.user());
    config.setPassword(settings.password());
    config.setMaximumPoolSize(settings.poolSize());
    config.setMinimumIdle(Math.min(IDLE_MIN, settings.poolSize()));
    config.setIdleTimeout(IDLE_MAX.toMillis());
    config.setConnectionTimeout(Math.max(250, settings.acquireTimeout().toMillis()));
    config.setValidationTimeout(Math.max(250, settings.acquireTimeout().toMillis()));
    config.setInitializationFailTimeout(settings.patience().toMillis());
    config.setMaxLifetime(LIFE_MAX.toMillis());
    config.setLeakDetectionThreshold(LEAK_WARNING.toMillis());
    config.setConnectionInitSql(limits(settings));
    driverLimits(settings).forEach(config::addDataSourceProperty);
    return config;
  }

  private static String limits(PostgresSettings settings) {
    return """
    SET statement_timeout = %d;
    SET lock_timeout = %d;
    SET idle_in_transaction_session_timeout = %d;
    SELECT set_config('role', rolname, false) FROM pg_roles
     WHERE rolname = '%s' AND pg_has_role(oid, 'MEMBER')\
    """
        .formatted(
            settings.statementTimeout().toMillis(),
            settings.lockTimeout().toMillis(),
            settings.idleInTransactionTimeout().toMillis(),
            SERVICE);
  }

  /// Connections that were made before the migrations may have made the role take it now.
  ///
  /// @throws StartFailure if our user may not take it
  void becomeService() {
    pool.getHikariPoolMXBean().softEvictConnections();
    try (var connection = connection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT current_user")) {
      rows.next();
      if (!rows.getString(1).equals(SERVICE)) {
        throw new StartFailure(
            "The user %1$s of Postgres may not become %2$s; let one who may run GRANT %2$s TO %1$s, then start again."
                .formatted(rows.getString(1), SERVICE));
      }
    } catch (SQLException e) {
      throw new StartFailure(
          "Postgres was lost during the start (%s); start again.".formatted(e.getMessage()), e);
    }
  }

  /// A source of single connections with the same limits, but for statements that take longer.
  static DataSource unpooled(PostgresSettings settings, Duration statementMax) {
    var limits = new Properties();
    limits.putAll(driverLimits(settings));
    limits.put("socketTimeout", Long.toString(statementMax.toSeconds()));
    return new DriverDataSource(settings.url(), null, limits, settings.user(), settings.password());
  }

  private static Map<String, String> driverLimits(PostgresSettings settings) {
    var connect = Long.toString(settings.connectTimeout().toSeconds());
    return Map.of(
        "ApplicationName",
        "holdfast",
        "connectTimeout",
        connect,
        "loginTimeout",
        connect,
        "socketTimeout",
        Long.toString(settings.socketTimeout().toSeconds()),
        "cancelSignalTimeout",
        connect,
        "tcpKeepAlive",
        "true",
        "reWriteBatchedInserts",
        "true",
        "prepareThreshold",
        "1"); // the server keeps a statement from its first time on
  }

  private static StartFailure unreachable(PostgresSettings settings, RuntimeException e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new StartFailure(
        "Postgres at %s cannot be used (%s); start it, or set JDBC_URL, JDBC_USER and JDBC_PASSWORD to one that can."
            .formatted(settings.address(), String.valueOf(root.getMessage()).strip()),
        e);
  }
}
