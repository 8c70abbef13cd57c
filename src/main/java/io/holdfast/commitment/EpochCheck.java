package io.holdfast.commitment;

import io.holdfast.commitment.sale.ConfirmRules;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolName;
import java.sql.Connection;
import java.sql.SQLException;

/// Checks that an epoch is current. After Redis has lost its data the pool has a new epoch, and
/// pins of earlier epochs are invalid.
public final class EpochCheck {
  private EpochCheck() {}

  /// The shared lock on the row lasts until the transaction ends, so the epoch cannot rise before
  /// that.
  public static boolean isPresent(Connection connection, PoolName pool, Epoch epoch)
      throws SQLException {
    try (var share =
        connection.prepareStatement("SELECT epoch FROM pool WHERE pool = ? FOR SHARE")) {
      share.setString(1, pool.value());
      try (var rows = share.executeQuery()) {
        return rows.next() && ConfirmRules.isCurrentEpoch(epoch, new Epoch(rows.getLong(1)));
      }
    }
  }
}
