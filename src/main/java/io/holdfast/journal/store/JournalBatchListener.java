package io.holdfast.journal.store;

import io.holdfast.pool.Fence;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/// Whoever has something to add in the transaction that brings a batch of a journal here.
public interface JournalBatchListener {
  /// @param written the fences of those holds that stand as the batch says because of it
  void brought(Connection connection, PoolName pool, List<JournalLine> lines, Set<Fence> written)
      throws SQLException;
}
