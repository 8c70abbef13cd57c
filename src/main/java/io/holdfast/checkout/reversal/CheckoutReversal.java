package io.holdfast.checkout.reversal;

import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Failure;
import io.holdfast.checkout.saga.CheckoutRun.Part;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState.State;
import io.holdfast.checkout.saga.CheckoutRun.StepState.Undo;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.CheckoutRunWriter;
import io.holdfast.checkout.saga.RunTransition.Entry;
import io.holdfast.checkout.step.CommitStep;
import io.holdfast.checkout.step.SoldLotStep;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Gives money of a fulfilled checkout back, after its sale or a part of it was voided. Runners do
/// it: what they have to undo is on record in the transaction of the void.
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

  /// The next lease number overtakes a runner that refunds an earlier part. Its call is repeated
  /// under the same id.
  private static final String REFUND_PARTS =
      """
      UPDATE checkout
         SET phase = 'REFUNDING', ended_at = NULL, lease_no = lease_no + 1,
             lease_until = clock_timestamp(), next_at = clock_timestamp(),
             changed_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ?
      """;

  private static final String ADD_PART =
      """
      INSERT INTO checkout_step (pool, checkout_id, ordinal, name, call_id, undo_id, state, undo,
                                 value_cents, refund_cents, changed_at)
      SELECT pool, checkout_id, ordinal, name, call_id, call_id || ':undo', 'DONE', 'PLANNED',
             value_cents, refund_cents, clock_timestamp()
        FROM (SELECT ?::text AS pool, ?::text AS checkout_id, ?::integer AS ordinal,
                     ?::text AS name, ?::text AS call_id, ?::bigint AS value_cents,
                     ?::bigint AS refund_cents) AS given
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
    if (run.saga().equals(SoldLotStep.SAGA)) {
      return run.phase() == Phase.DONE; // the auction has sold it, and the checkout has paid
    }
    return run.soldHold().equals(hold)
        && run.steps().stream()
            .anyMatch(step -> step.name().equals(CommitStep.NAME) && step.state() == State.DONE);
  }

  /// A part of the sale is voided already; runners refund it.
  void refundPart(Transaction tx, CheckoutRun run, Part part, String operator) throws SQLException {
    var parts = run.steps().stream().filter(step -> step.part() != null).count();
    var name = "refund-" + (parts + 1);
    try (var add = tx.connection().prepareStatement(ADD_PART);
        var refund = tx.connection().prepareStatement(REFUND_PARTS)) {
      add.setString(1, run.id().pool().value());
      add.setString(2, run.id().toString());
      add.setInt(3, run.steps().size());
      add.setString(4, name);
      add.setString(5, run.id() + ":" + name);
      add.setLong(6, part.valueCents());
      add.setLong(7, part.refundCents());
      add.executeUpdate();
      refund.setString(1, run.id().pool().value());
      refund.setString(2, run.id().toString());
      refund.executeUpdate();
    }
    var why = "a part was voided by " + operator;
    CheckoutRunWriter.log(tx.connection(), run, new Entry(name, "VOIDED", why));
  }

  /// All that is left of the sale is voided already; runners undo the other steps.
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
