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

/// The connection pool with a fair queue in front of it. Every wait is bounded on both sides: the
/// server ends long statements, lock waits and idle transactions; the driver stops waiting for a
/// dead server.
@Singleton
public final class ConnectionPool implements AutoCloseable {
  private static final Duration LEAK_WARNING = Duration.ofSeconds(30);
  private static final Duration IDLE_MAX = Duration.ofMinutes(5);
  private static final Duration LIFE_MAX = Duration.ofMinutes(10);
  private static final int IDLE_MIN = 2;

  /// The role of every connection: it has no DDL rights and cannot change append-only tables.
  private static final String SERVICE = "holdfast_service";

  private final HikariDataSource pool;
  private final BoundedDataSource bounded;

  ConnectionPool(PostgresSettings settings, DiskSpace disk, MeterRegistry meters) {
    pool = open(settings, disk);
    bounded = new BoundedDataSource(pool, settings.poolSize(), settings.acquireTimeout());
    Gauge.builder("holdfast.db.connections.free", bounded, BoundedDataSource::free)
        .description("Idle connections to Postgres")
        .register(meters);
    Gauge.builder("holdfast.db.callers.waiting", bounded, BoundedDataSource::waiting)
        .description("Callers that wait for a connection to Postgres")
        .register(meters);
  }

  /// A connection for the caller alone, outside of any transaction. The caller closes it.
  public Connection connection() throws SQLException {
    return bounded.borrow();
  }

  /// The id of the Postgres process behind a connection. A caller that loses the connection uses it
  /// to check whether that process has ended.
  public static int backendOf(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getBackendPID();
  }

  @Override
  @PreDestroy
  public void close() {
    pool.close();
  }

  /// The data source of Micronaut Data.
  public DataSource dataSource() {
    return bounded;
  }

  private static HikariDataSource open(PostgresSettings settings, DiskSpace disk) {
    try {
      var config = configuration(settings);
      config.setExceptionOverride(disk);
      return new HikariDataSource(config);
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

  /// Replaces connections that were opened before the migrations created the role.
  ///
  /// @throws StartFailure if the user may not take the role
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
        "1"); // the server prepares a statement at its first execution
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
