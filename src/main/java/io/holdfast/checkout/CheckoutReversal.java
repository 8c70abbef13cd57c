package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Failure;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.CheckoutRunWriter;
import io.holdfast.checkout.saga.RunTransition.Entry;
import io.holdfast.checkout.saga.StepState.State;
import io.holdfast.checkout.saga.StepState.Undo;
import io.holdfast.checkout.step.CommitStep;
import io.holdfast.checkout.step.RunConfirmRequests;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Turns a checkout around that had come to its good end.
@Singleton
final class CheckoutReversal {
  /// In one order for all, since there may be two: one that sold this hold in the place of another,
  /// and one that began with it and came too late.
  private static final String LOCK =
      """
      SELECT checkout_id FROM checkout
       WHERE pool = ? AND (hold_id = ? OR replacement_id = ?)
       ORDER BY checkout_id FOR UPDATE
      """;

  private static final String TURN =
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

  /// The checkout that has sold what this hold held, or else one that is still open. One that has
  /// ended without selling it is none: whoever was declined may have bought by a confirm.
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

  /// A step is stored as done in the transaction of its sale.
  private static boolean hasSold(CheckoutRun run, HoldId hold) {
    return RunConfirmRequests.soldHold(run).equals(hold)
        && run.steps().stream()
            .anyMatch(step -> step.name().equals(CommitStep.NAME) && step.state() == State.DONE);
  }

  /// The sale itself is taken back by now; the rest is left to the runners.
  void goBack(Transaction tx, CheckoutRun run, long refundCents, String operator)
      throws SQLException {
    var failure = new Failure("voided", "voided by " + operator);
    try (var turn = tx.connection().prepareStatement(TURN);
        var step = tx.connection().prepareStatement(SOLD_BACK)) {
      turn.setLong(1, refundCents);
      turn.setString(2, failure.code());
      turn.setString(3, failure.why());
      turn.setString(4, run.id().pool().value());
      turn.setString(5, run.id().toString());
      turn.executeUpdate();
      step.setString(1, Undo.DONE.name());
      step.setString(2, run.id().pool().value());
      step.setString(3, run.id().toString());
      step.setString(4, CommitStep.NAME);
      step.executeUpdate();
    }
    CheckoutRunWriter.log(tx.connection(), run, new Entry(null, "VOIDED", failure.why()));
  }
}
