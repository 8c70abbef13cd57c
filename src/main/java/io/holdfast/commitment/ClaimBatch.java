package io.holdfast.commitment;

import io.holdfast.commitment.ClaimOutcome.Done;
import io.holdfast.commitment.ClaimOutcome.NotNow;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One step of one checkout or of many, in the caller's transaction: locks what they could change,
/// in the order of all others, decides each, and writes all that may be written in one go.
final class ClaimBatch {
  private ClaimBatch() {}

  /// What a step does.
  ///
  /// @param after how the hold stands once it is done
  record Change(Rule rule, Function<Part, HoldRecord> after, Writes writes) {}

  interface Rule {
    /// Null if it may be written.
    @Nullable ClaimOutcome refusal(ConfirmRequest request, LockedFacts facts, Pinned pinned);
  }

  interface Writes {
    Writing of(List<Part> parts);
  }

  /// One that may be written.
  ///
  /// @param place among all that were asked for
  record Part(int place, ConfirmRequest request, LockedFacts facts, Pinned pinned) {}

  /// @param isAlone whether to wait for locks that somebody else has, and to answer in any case
  static List<@Nullable ClaimOutcome> run(
      Transaction transaction,
      List<ConfirmRequest> requests,
      Change change,
      boolean isAlone,
      Duration patience) {
    if (requests.isEmpty()) {
      return List.of();
    }
    try {
      var before = transaction.connection().setSavepoint();
      return run(transaction.connection(), before, requests, change, isAlone, patience);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    } finally {
      Plans.ran();
    }
  }

  private static List<@Nullable ClaimOutcome> run(
      Connection connection,
      Savepoint before,
      List<ConfirmRequest> requests,
      Change change,
      boolean isAlone,
      Duration patience)
      throws SQLException {
    var lockMax = isAlone ? patience : SaleTransaction.BATCH_LOCK_MAX;
    var outcomes =
        new ArrayList<@Nullable ClaimOutcome>(
            Collections.nCopies(requests.size(), isAlone ? new NotNow(new Running()) : null));
    try {
      var facts = LockAndRead.read(connection, requests, isAlone, lockMax);
      var parts = new ArrayList<Part>();
      for (var i = 0; i < requests.size(); i++) {
        var known = facts.get(i);
        if (known != null) {
          var part = new Part(i, requests.get(i), known, pinned(requests.get(i)));
          var refusal = change.rule.refusal(part.request, known, part.pinned);
          outcomes.set(i, refusal);
          if (refusal == null) {
            parts.add(part);
          }
        }
      }
      write(connection, before, parts, change, isAlone, outcomes);
      return outcomes;
    } catch (SQLException e) {
      if (isAlone && SaleBatchResult.rolledBack(e).cause() == SaleBatchResult.Cause.LOCKED) {
        connection.rollback(before); // or the caller could not write down that it was in vain
        return List.of(new NotNow(new Running()));
      }
      throw e;
    }
  }

  private static void write(
      Connection connection,
      Savepoint before,
      List<Part> parts,
      Change change,
      boolean isAlone,
      List<@Nullable ClaimOutcome> outcomes)
      throws SQLException {
    if (parts.isEmpty()) {
      return;
    }
    var writing = change.writes.of(parts);
    var isDone = isDoneOrUndone(connection, before, writing);
    for (var part : parts) {
      var id = part.request.hold().toString();
      if (isDone) {
        var done = new Done(change.after.apply(part), writing.versions(id), writing.outboxId(id));
        outcomes.set(part.place, done);
      } else if (isAlone) {
        outcomes.set(part.place, new NotNow(new Superseded()));
      }
    }
  }

  /// What was half written is taken back, and the caller's own rows stay.
  static boolean isDoneOrUndone(Connection connection, Savepoint before, Writing writing)
      throws SQLException {
    var isDone = writing.isDone();
    if (!isDone) {
      connection.rollback(before);
    }
    return isDone;
  }

  private static Pinned pinned(ConfirmRequest request) {
    if (request.intent() instanceof Pinned pinned) {
      return pinned;
    }
    throw new IllegalArgumentException("only what is pinned can be claimed or sold");
  }
}
