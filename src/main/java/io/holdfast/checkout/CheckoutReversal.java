package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Failure;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState.State;
import io.holdfast.checkout.saga.CheckoutRun.StepState.Undo;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.CheckoutRunWriter;
import io.holdfast.checkout.saga.RunTransition.Entry;
import io.holdfast.checkout.step.CommitStep;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Compensates a checkout that was fulfilled, after its sale was voided.
@Singleton
final class CheckoutReversal {
  /// Locks in one order, because there may be two: one that sold this hold in place of another one,
  /// and one that started with it and came too late.
  private static final String LOCK =
      """
      SELECT checkout_id FROM checkout
       WHERE pool = ? AND (hold_id = ? OR replacement_id = ?)
       ORDER BY checkout_id FOR UPDATE
      """;

  private static final String COMPENSATE =
      """
      UPDATE checkout
         SET phase = 'COMPENSATING', ended_at = NULL, refund_cents = ?, failure_code = ?,
             failure = ?, lease_no = lease_no + 1, lease_until = clock_timestamp(),
             next_at = clock_timestamp(), changed_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ?
      """;

  private static final String SOLD_BACK =
      """
      UPDATE checkout_step
         SET undo = ?, detail = 'taken back', changed_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ? AND name = ?
      """;

  /// Returns the checkout that sold the items of this hold, or else one that has not ended. A
  /// checkout that ended without a sale does not count: the hold may have been sold by a confirm.
  Optional<CheckoutRun> lock(Transaction tx, HoldId hold) throws SQLException {
    CheckoutRun open = null;
    for (var id : locked(tx, hold)) {
      var run = CheckoutRunReader.find(tx.connection(), id).orElseThrow();
      if (hasSold(run, hold)) {
        return Optional.of(run);
      }
      open = run.phase().isEnd() ? open : run;
    }
    return Optional.ofNullable(open);
  }

  private static List<CheckoutId> locked(Transaction tx, HoldId hold) throws SQLException {
    try (var lock = tx.connection().prepareStatement(LOCK)) {
      lock.setString(1, hold.pool().value());
      lock.setString(2, hold.toString());
      lock.setString(3, hold.toString());
      var ids = new ArrayList<CheckoutId>();
      try (var rows = lock.executeQuery()) {
        while (rows.next()) {
          ids.add(CheckoutId.parse(rows.getString("checkout_id")).orElseThrow());
        }
      }
      return ids;
    }
  }

  /// The commit step is stored in the transaction of its sale.
  private static boolean hasSold(CheckoutRun run, HoldId hold) {
    if (run.saga().equals(CheckoutFactory.AUCTION)) {
      return run.phase() == Phase.DONE; // the auction has sold it, and the checkout has paid
    }
    return run.soldHold().equals(hold)
        && run.steps().stream()
            .anyMatch(step -> step.name().equals(CommitStep.NAME) && step.state() == State.DONE);
  }

  /// The sale itself is voided already; runners undo the other steps.
  void compensate(Transaction tx, CheckoutRun run, long refundCents, String operator)
      throws SQLException {
    var failure = new Failure("voided", "voided by " + operator);
    try (var compensate = tx.connection().prepareStatement(COMPENSATE);
        var step = tx.connection().prepareStatement(SOLD_BACK)) {
      compensate.setLong(1, refundCents);
      compensate.setString(2, failure.code());
      compensate.setString(3, failure.why());
      compensate.setString(4, run.id().pool().value());
      compensate.setString(5, run.id().toString());
      compensate.executeUpdate();
      step.setString(1, Undo.DONE.name());
      step.setString(2, run.id().pool().value());
      step.setString(3, run.id().toString());
      step.setString(4, CommitStep.NAME);
      step.executeUpdate();
    }
    CheckoutRunWriter.log(tx.connection(), run, new Entry(null, "VOIDED", failure.why()));
  }
}
