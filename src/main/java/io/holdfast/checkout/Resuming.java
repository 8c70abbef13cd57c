package io.holdfast.checkout;

import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.RequestCall;
import io.holdfast.postgres.RequestOutcome;
import io.holdfast.postgres.RequestOutcome.Answer;
import io.holdfast.postgres.RequestResults;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.OncePerToken;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.Optional;

/// Takes up a checkout that is stuck, when somebody has looked at it.
@Singleton
final class Resuming {
  private static final String RESUME =
      """
      UPDATE checkout
         SET phase = 'COMPENSATING', ended_at = NULL, lease_no = lease_no + 1,
             lease_until = clock_timestamp(), next_at = clock_timestamp(),
             changed_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ? AND phase = 'STUCK'
      """;

  private static final String AGAIN =
      """
      UPDATE checkout_step SET undo = 'RETRY', undo_tries = 0, changed_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ? AND undo = 'STUCK'
      """;

  private final RequestResults results;
  private final OncePerToken once;
  private final CheckoutReads reads;

  Resuming(RequestResults results, OncePerToken once, CheckoutReads reads) {
    this.results = results;
    this.once = once;
    this.reads = reads;
  }

  RequestOutcome resume(RequestCall call, String checkoutId) {
    return results.once(
        call,
        tx -> {
          try {
            return resume(tx, CheckoutId.parse(checkoutId), call.caller());
          } catch (SQLException e) {
            throw PostgresUnavailable.nothingChanged(e);
          }
        });
  }

  private Answer resume(Transaction tx, Optional<CheckoutId> id, String operator)
      throws SQLException {
    var run = id.isEmpty() ? Optional.<Run>empty() : RunRows.find(tx.connection(), id.get());
    if (run.isEmpty()) {
      return once.stored(
          Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such checkout."));
    }
    if (update(tx, RESUME, run.get().id()) == 0) {
      return once.stored(
          Problem.refused(
              HttpStatus.CONFLICT, "not-stuck", "The checkout is not stuck; nothing was done."));
    }
    update(tx, AGAIN, run.get().id());
    RunWrites.log(
        tx.connection(), run.get(), new Progress.Entry(null, "RESUMED", "by " + operator));
    var resumed = RunRows.find(tx.connection(), run.get().id()).orElseThrow();
    return once.stored(HttpStatus.OK, reads.view(resumed));
  }

  private static int update(Transaction tx, String sql, CheckoutId id) throws SQLException {
    try (var update = tx.connection().prepareStatement(sql)) {
      update.setString(1, id.pool().value());
      update.setString(2, id.toString());
      return update.executeUpdate();
    }
  }
}
