package io.holdfast.journal.store;

import io.holdfast.pool.Fence;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/// Takes part in the transaction that stores a batch of a journal.
public interface JournalBatchListener {
  /// @param written the fences of the holds that this batch inserted or ended
  void onBatch(Connection connection, PoolName pool, List<JournalLine> lines, Set<Fence> written)
      throws SQLException;
}
