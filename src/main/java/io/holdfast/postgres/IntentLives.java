package io.holdfast.postgres;

import io.holdfast.AtStart;
import io.holdfast.StartFailure;
import io.holdfast.intent.IntentMode;
import io.holdfast.intent.Life;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes down in which mode the database is used, before the door opens. When that changes, a new
/// life begins: whatever either mode still remembers of an earlier one is seeded anew, in a new
/// epoch, at its first use. Two modes at once are refused.
@Singleton
@Order(Migrations.FIRST + 1)
final class IntentLives implements AtStart {
  private static final Logger LOG = LoggerFactory.getLogger(IntentLives.class);

  /// An instance that was killed is taken for alive for as long as its lease lasts.
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  private static final Duration LOOK = Duration.ofMillis(250);

  private final Transactions transactions;
  private final IntentMode mode;
  private final Life life;

  IntentLives(Transactions transactions, IntentMode mode, Life life) {
    this.transactions = transactions;
    this.mode = mode;
    this.life = life;
  }

  @Override
  public void atStart() {
    var deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!transactions.write(this::isBegun)) {
      if (System.nanoTime() - deadline > 0) {
        throw new StartFailure(
            "Another instance uses this database, and not with HOLDFAST_INTENT=%s; end it first, or start with its mode."
                .formatted(mode.word()));
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }

  private boolean isBegun(Connection connection) throws SQLException {
    var sql =
        """
        SELECT mode, changes,
               EXISTS (SELECT 1 FROM lease WHERE name = 'journal' AND until > clock_timestamp()) AS is_used
          FROM intent_life FOR UPDATE OF intent_life
        """;
    try (var select = connection.prepareStatement(sql);
        var row = select.executeQuery()) {
      row.next();
      var changes = row.getLong("changes");
      if (!row.getString("mode").equals(mode.word())) {
        if (row.getBoolean("is_used")) {
          return false;
        }
        changes++;
        change(connection, changes);
      }
      life.isNumber(changes);
      return true;
    }
  }

  private void change(Connection connection, long changes) throws SQLException {
    var sql = "UPDATE intent_life SET mode = ?, changes = ?";
    try (var update = connection.prepareStatement(sql)) {
      update.setString(1, mode.word());
      update.setLong(2, changes);
      update.executeUpdate();
    }
    LOG.info("Holds of this database are kept in {} from now on", mode.server());
  }
}
