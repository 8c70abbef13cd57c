package io.holdfast.commitment;

import io.holdfast.commitment.sale.ConfirmRules;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolName;
import java.sql.Connection;
import java.sql.SQLException;

/// Whether what Redis said was said in its present life. Redis that lost its memory has begun anew:
/// what it knew before, a pin above all, means nothing any more.
final class EpochCheck {
  private EpochCheck() {}

  /// The share of the row is kept until the transaction ends, so the epoch cannot rise meanwhile.
  static boolean isPresent(Connection connection, PoolName pool, Epoch epoch) throws SQLException {
    try (var share =
        connection.prepareStatement("SELECT epoch FROM pool WHERE pool = ? FOR SHARE")) {
      share.setString(1, pool.value());
      try (var rows = share.executeQuery()) {
        return rows.next() && ConfirmRules.isCurrentEpoch(epoch, new Epoch(rows.getLong(1)));
      }
    }
  }
}
