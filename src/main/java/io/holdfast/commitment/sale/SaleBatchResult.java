package io.holdfast.commitment.sale;

import io.holdfast.commitment.CommitOutcome;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The result of a transaction of sales.
public sealed interface SaleBatchResult {

  /// The outcome of each request, in their order; null for a request that another transaction has
  /// locked and that was left out.
  record Decided(List<@Nullable CommitOutcome> outcomes) implements SaleBatchResult {}

  /// Nothing was written.
  record RolledBack(Cause cause, String why) implements SaleBatchResult {}

  /// The reason for the caller. The message of Postgres or its driver is only recorded.
  enum Cause {
    /// The facts have changed since they were read. The request has to be read again.
    MOVED("Other calls kept changing the hold"),
    /// Another transaction kept a lock for too long.
    LOCKED("Another call has locked the hold"),
    /// Postgres is not available.
    AWAY("Postgres, which decides on sales, is away"),
    /// One or more of the rows cannot be written.
    POISONED("Postgres could not write the sale");

    private final String message;

    Cause(String message) {
      this.message = message;
    }

    public String message() {
      return message;
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
