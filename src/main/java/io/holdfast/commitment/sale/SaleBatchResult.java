package io.holdfast.commitment.sale;

import io.holdfast.commitment.CommitOutcome;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How a transaction of sales can end.
public sealed interface SaleBatchResult {

  /// What became of each request, in their order; null for one that was locked by somebody else and
  /// has no part in it.
  record Decided(List<@Nullable CommitOutcome> outcomes) implements SaleBatchResult {}

  /// Nothing was written.
  record RolledBack(Cause cause, String why) implements SaleBatchResult {}

  /// Why. What Postgres or its driver said is for the records; callers are told this much.
  enum Cause {
    /// The world was no longer as it had been read: to be read again.
    MOVED("Others kept changing the hold"),
    /// Somebody else had a lock for too long.
    LOCKED("Somebody else is at the hold"),
    /// Postgres is not there.
    AWAY("Postgres, which decides on sales, is away"),
    /// One of the rows, or all of them, cannot be written.
    POISONED("Postgres could not write it down");

    private final String told;

    Cause(String told) {
      this.told = told;
    }

    public String told() {
      return told;
    }
  }

  static RolledBack rolledBack(SQLException e) {
    return new RolledBack(cause(String.valueOf(e.getSQLState())), String.valueOf(e.getMessage()));
  }

  private static Cause cause(String state) {
    if (state.equals("55P03")) {
      return Cause.LOCKED;
    }
    if (state.startsWith("40") || state.equals(SaleRows.ROW_COUNT_DIFFERS)) {
      return Cause.MOVED;
    }
    return state.startsWith("08") || state.startsWith("57P") || state.equals("null")
        ? Cause.AWAY
        : Cause.POISONED;
  }
}
