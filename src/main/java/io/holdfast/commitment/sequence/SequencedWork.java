package io.holdfast.commitment.sequence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/// What a committed entry becomes in Postgres.
public interface SequencedWork<E extends Sequenced> {
  /// Writes the entries, in the transaction that moves the committed sequence.
  ///
  /// @param entries in the order of their numbers
  void commit(Connection connection, List<E> entries) throws SQLException;

  /// Returns the numbers of those entries that have been committed before.
  Set<Long> committed(Connection connection, List<E> entries) throws SQLException;
}
