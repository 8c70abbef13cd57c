package io.holdfast.payment.simulator;

import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What the payment simulator has yet to tell. Any instance tells it; one that dies in between
/// leaves it to the others, who tell it again under the same webhook id.
@Singleton
public final class SimulatedNotices {

  /// Whoever takes a notice has so long to tell it.
  private static final String TAKE =
      """
      UPDATE simulated_notice n
         SET due_at = clock_timestamp() + ? * interval '1 millisecond', tries = tries + 1
        FROM simulated_call c
       WHERE c.call_id = n.call_id
         AND n.id = ANY (ARRAY (
             SELECT id FROM simulated_notice WHERE due_at <= clock_timestamp()
              ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED))
      RETURNING c.*, n.id, n.times, n.tries, false AS untold
      """;

  private static final String DELETE = "DELETE FROM simulated_notice WHERE id = ?";

  private final Transactions transactions;

  SimulatedNotices(Transactions transactions) {
    this.transactions = transactions;
  }

  /// @param times how often it is to be told
  /// @param tries how often that was tried, this time included
  public record Due(long id, int times, int tries, SimulatedCall call) {}

  /// @param patience after that others try it
  public List<Due> take(Duration patience, int most) {
    return transactions.write(
        connection -> {
          try (var update = connection.prepareStatement(TAKE)) {
            update.setLong(1, patience.toMillis());
            update.setInt(2, most);
            return due(update.executeQuery());
          }
        });
  }

  public void told(long id) {
    transactions.write(
        connection -> {
          try (var delete = connection.prepareStatement(DELETE)) {
            delete.setLong(1, id);
            return delete.executeUpdate();
          }
        });
  }

  private static List<Due> due(ResultSet rows) throws SQLException {
    var due = new ArrayList<Due>();
    while (rows.next()) {
      due.add(
          new Due(
              rows.getLong("id"),
              rows.getInt("times"),
              rows.getInt("tries"),
              SimulatorLedger.call(rows)));
    }
    return due;
  }
}
