package io.holdfast.postgres;

import static org.flywaydb.core.api.CoreErrorCode.RESOLVED_VERSIONED_MIGRATION_NOT_APPLIED;

import io.holdfast.runtime.StartFailure;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Migrates the schema to this version of the code with the files of `db-migrations/`, at every
/// start or by `holdfast migrate`. If several instances migrate at once, Flyway runs one and lets
/// the others wait.
@Singleton
@Order(Migrations.FIRST)
public final class Migrations implements StartupTask {
  public static final int FIRST = -1_000;

  /// A migration may run long, but other sessions must not wait long behind its lock.
  private static final String LOCK_TIMEOUT = "10s";

  /// The first file before the baseline of migrations; since then `V001` has another name.
  private static final String FIRST_BEFORE_BASELINE = "V001__pool.sql";

  private static final Duration STATEMENT_MAX = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

  private final PostgresSettings settings;
  private final ConnectionPool link;

  /// Opens the connection pool first: its error explains best why Postgres cannot be reached.
  Migrations(PostgresSettings settings, ConnectionPool link) {
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
    } catch (FlywayValidateException e) {
      throw otherHistory(flyway, e);
    } catch (FlywayException e) {
      throw new StartFailure(
          "The migration of the database failed and was rolled back (%s); mend it and start again."
              .formatted(oneLine(e)),
          e);
    }
  }

  /// Flyway would advise to overwrite its records. That would hide that the schema differs.
  private static StartFailure otherHistory(Flyway flyway, FlywayValidateException cause) {
    if (isFromBeforeBaseline(flyway)) {
      return new StartFailure(
          "The database was made by an unreleased version from before the baseline of migrations"
              + " and cannot be upgraded; drop it, empty its Redis (embedded servers: delete the"
              + " folder HOLDFAST_DATA) and start again on an empty database.",
          cause);
    }
    return new StartFailure(
        "The database has had other migrations than this version contains (%s differ); nothing was changed: start the version that migrated it."
            .formatted(String.join(", ", differing(flyway))),
        cause);
  }

  private static List<String> differing(Flyway flyway) {
    return flyway.validateWithResult().invalidMigrations.stream()
        .filter(it -> it.errorDetails.errorCode != RESOLVED_VERSIONED_MIGRATION_NOT_APPLIED)
        .map(it -> it.version)
        .toList();
  }

  private static boolean isFromBeforeBaseline(Flyway flyway) {
    return Stream.of(flyway.info().applied())
        .anyMatch(applied -> applied.getScript().equals(FIRST_BEFORE_BASELINE));
  }

  /// A standby accepts connections but would refuse every sale.
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
        .dataSource(ConnectionPool.unpooled(settings, STATEMENT_MAX))
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
