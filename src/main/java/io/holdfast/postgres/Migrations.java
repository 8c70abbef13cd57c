package io.holdfast.postgres;

import io.holdfast.AtStart;
import io.holdfast.StartFailure;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the schema to what this version of the code expects, by the files of `db-migrations/`, at
/// every start or by `holdfast migrate`. Several instances may do so at once: Flyway lets one work
/// and the others wait.
@Singleton
@Order(Migrations.FIRST)
public final class Migrations implements AtStart {
  public static final int FIRST = -1_000;

  /// A migration may take its time, but not while everybody else waits behind its lock.
  private static final String LOCK_TIMEOUT = "10s";

  private static final Duration STATEMENT_MAX = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

  private final PostgresSettings settings;
  private final PostgresLink link;

  /// The link stands first: it says best why Postgres cannot be reached.
  Migrations(PostgresSettings settings, PostgresLink link) {
    this.settings = settings;
    this.link = link;
  }

  /// Returns how many migrations were run.
  public int migrate() {
    refuseReadOnly();
    var done = migrate(flyway());
    link.becomeService();
    return done;
  }

  static int migrate(Flyway flyway) {
    try {
      var done = flyway.migrate().migrationsExecuted;
      LOG.info("The schema is current; migrations that were new: {}", done);
      return done;
    } catch (FlywayException e) {
      throw new StartFailure(
          "The migration of the database failed and was rolled back (%s); mend it and start again."
              .formatted(oneLine(e)),
          e);
    }
  }

  /// A standby takes every connection, and would then refuse every sale.
  private void refuseReadOnly() {
    try (var connection = link.connection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SHOW transaction_read_only")) {
      if (rows.next() && rows.getString(1).equals("on")) {
        throw new StartFailure(
            "Postgres at %s takes no changes, as a standby does; set JDBC_URL to one that does."
                .formatted(settings.address()));
      }
    } catch (SQLException e) {
      throw new StartFailure(
          "Postgres at %s was lost during the start (%s); start again."
              .formatted(settings.address(), e.getMessage()),
          e);
    }
  }

  private Flyway flyway() {
    return Flyway.configure()
        .dataSource(PostgresLink.unpooled(settings, STATEMENT_MAX))
        .initSql("SET lock_timeout = '%s'".formatted(LOCK_TIMEOUT))
        .locations("classpath:db-migrations")
        .failOnMissingLocations(true)
        .validateMigrationNaming(true)
        .baselineOnMigrate(false)
        .outOfOrder(false)
        .cleanDisabled(true)
        .load();
  }

  @Override
  public void atStart() {
    migrate();
  }

  private static String oneLine(FlywayException e) {
    return String.join(
        " ", e.getMessage().lines().map(String::strip).filter(l -> !l.matches("-*")).toList());
  }
}
