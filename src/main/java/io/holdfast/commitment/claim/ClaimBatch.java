package io.holdfast.commitment.claim;

import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.claim.ClaimOutcome.Done;
import io.holdfast.commitment.claim.ClaimOutcome.NotNow;
import io.holdfast.commitment.sale.ConfirmRules;
import io.holdfast.commitment.sale.LockAndRead;
import io.holdfast.commitment.sale.LockedFacts;
import io.holdfast.commitment.sale.SaleBatchResult;
import io.holdfast.commitment.sale.SaleRows;
import io.holdfast.commitment.sale.SaleTransaction;
import io.holdfast.commitment.sale.StockUnits;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Runs one step of one checkout or of many in the caller's transaction: locks and reads
/// (`LockAndRead`), decides each, writes all that is allowed. It neither commits nor rolls back the
/// caller's own rows.
final class ClaimBatch {
  private ClaimBatch() {}

  /// A step that `ClaimBatch` can run: `ClaimItems` or `SellClaimedItems`.
  interface Step {
    /// Returns null if the step is allowed.
    ///
    /// @param place the index of the request among all
    @Nullable ClaimOutcome refusal(
        int place, ConfirmRequest request, LockedFacts facts, Pinned pinned);

    /// Writes all or fails with `SaleRows.ROW_COUNT_DIFFERS`.
    void write(Connection connection, List<Allowed> allowed, SaleRows rows) throws SQLException;

    /// The hold after the step.
    HoldRecord after(Allowed allowed);
  }

  /// A request that the rules allow.
  ///
  /// @param place its index among all requests
  record Allowed(int place, ConfirmRequest request, LockedFacts facts, Pinned pinned) {
    String pool() {
      return request.pool().name().value();
    }

    String holdId() {
      return request.hold().toString();
    }

    /// The units that claims take of stocks.
    static List<StockUnits> stockUnits(List<Allowed> claims) {
      return StockUnits.of(
          claims,
          Allowed::pool,
          claim -> claim.facts.stock(),
          claim -> ConfirmRules.unitsToTake(claim.request, claim.facts));
    }
  }

  private record Buyer(String pool, String caller, String requester) {
    static Buyer of(ConfirmRequest request) {
      return new Buyer(request.pool().name().value(), request.caller(), request.requester());
    }
  }

  /// Returns null for a request whose rows another transaction has locked; nothing was written for
  /// it.
  ///
  /// @param isAlone whether to wait for locks of other transactions, and to answer in any case
  /// @param patience how long to wait for a lock, if alone
  static List<@Nullable ClaimOutcome> run(
      Transaction transaction,
      List<ConfirmRequest> requests,
      Step step,
      boolean isAlone,
      Duration patience) {
    if (requests.isEmpty()) {
      return List.of();
    }
    var connection = transaction.connection();
    try {
      var before = connection.setSavepoint();
      try {
        return run(connection, before, requests, step, isAlone, patience);
      } catch (SQLException e) {
        if (isAlone && SaleBatchResult.rolledBack(e).cause() == SaleBatchResult.Cause.LOCKED) {
          connection.rollback(before); // so that the caller can record the failed attempt
          return List.of(new NotNow(new Running()));
        }
        throw e;
      }
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private static List<@Nullable ClaimOutcome> run(
      Connection connection,
      Savepoint before,
      List<ConfirmRequest> requests,
      Step step,
      boolean isAlone,
      Duration patience)
      throws SQLException {
    var lockMax = isAlone ? patience : SaleTransaction.BATCH_LOCK_MAX;
    var facts = LockAndRead.read(connection, requests, isAlone, lockMax);
    var outcomes =
        new ArrayList<@Nullable ClaimOutcome>(
            Collections.nCopies(requests.size(), isAlone ? new NotNow(new Running()) : null));
    var allowed = new ArrayList<Allowed>();
    var taken = new HashMap<String, Long>(); // units of stocks, by earlier claims of the batch
    var limited = new HashSet<Buyer>(); // whose items are counted; a second request runs alone
    for (var i = 0; i < requests.size(); i++) {
      var found = facts.get(i);
      var request = requests.get(i);
      if (found != null && (found.allowance() == null || limited.add(Buyer.of(request)))) {
        var pool = request.pool().name().value();
        var known = found.afterTaking(taken.getOrDefault(pool, 0L));
        var pinned = pinned(request);
        var refusal = step.refusal(i, request, known, pinned);
        outcomes.set(i, refusal);
        if (refusal == null) {
          allowed.add(new Allowed(i, request, known, pinned));
          taken.merge(pool, ConfirmRules.unitsToTake(request, known), Long::sum);
        }
      }
    }
    if (!allowed.isEmpty()) {
      write(connection, before, allowed, step, isAlone, outcomes);
    }
    return outcomes;
  }

  private static void write(
      Connection connection,
      Savepoint before,
      List<Allowed> allowed,
      Step step,
      boolean isAlone,
      List<@Nullable ClaimOutcome> outcomes)
      throws SQLException {
    var rows = new SaleRows();
    var isWritten = isWritten(connection, before, () -> step.write(connection, allowed, rows));
    for (var each : allowed) {
      if (isWritten) {
        var id = each.holdId();
        outcomes.set(
            each.place,
            new Done(step.after(each), rows.versions(each.request.hold()), rows.outboxId(id)));
      } else if (isAlone) {
        outcomes.set(each.place, new NotNow(new Superseded()));
      }
    }
  }

  @FunctionalInterface
  interface Write {
    void run() throws SQLException;
  }

  /// Rolls back to the savepoint if a row count differs. The caller's own rows stay.
  static boolean isWritten(Connection connection, Savepoint before, Write write)
      throws SQLException {
    try {
      write.run();
      return true;
    } catch (SQLException e) {
      if (!SaleRows.ROW_COUNT_DIFFERS.equals(e.getSQLState())) {
        throw e;
      }
      connection.rollback(before);
      return false;
    }
  }

  private static Pinned pinned(ConfirmRequest request) {
    if (request.intent() instanceof Pinned pinned) {
      return pinned;
    }
    throw new IllegalArgumentException("only a pinned hold can be claimed or sold");
  }
}
