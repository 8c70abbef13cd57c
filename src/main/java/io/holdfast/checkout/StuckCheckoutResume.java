package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.CheckoutRunWriter;
import io.holdfast.checkout.saga.RunTransition;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.Optional;

/// Resumes the compensation of a stuck checkout, for an operator. One without a failure is
/// fulfilled and has refunds of parts left.
@Singleton
final class StuckCheckoutResume {
  private static final String RESUME =
      """
      UPDATE checkout
         SET phase = CASE WHEN failure_code IS NULL THEN 'REFUNDING' ELSE 'COMPENSATING' END,
             ended_at = NULL, lease_no = lease_no + 1,
             lease_until = clock_timestamp(), next_at = clock_timestamp(),
             changed_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ? AND phase = 'STUCK'
      """;

  private static final String AGAIN =
      """
      UPDATE checkout_step SET undo = 'RETRY', undo_tries = 0, changed_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ? AND undo = 'STUCK'
      """;

  private final IdempotencyStore results;
  private final IdempotencyHttp http;
  private final CheckoutQueries queries;

  StuckCheckoutResume(IdempotencyStore results, IdempotencyHttp http, CheckoutQueries queries) {
    this.results = results;
    this.http = http;
    this.queries = queries;
  }

  IdempotentResult resume(IdempotentRouteCall call, String checkoutId) {
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
    var run =
        id.isEmpty()
            ? Optional.<CheckoutRun>empty()
            : CheckoutRunReader.find(tx.connection(), id.get());
    if (run.isEmpty()) {
      return http.stored(
          Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such checkout."));
    }
    if (update(tx, RESUME, run.get().id()) == 0) {
      return http.stored(
          Problem.refused(
              HttpStatus.CONFLICT, "not-stuck", "The checkout is not stuck; nothing was done."));
    }
    update(tx, AGAIN, run.get().id());
    CheckoutRunWriter.log(
        tx.connection(), run.get(), new RunTransition.Entry(null, "RESUMED", "by " + operator));
    var resumed = CheckoutRunReader.find(tx.connection(), run.get().id()).orElseThrow();
    return http.stored(HttpStatus.OK, queries.json(resumed));
  }

  private static int update(Transaction tx, String sql, CheckoutId id) throws SQLException {
    try (var update = tx.connection().prepareStatement(sql)) {
      update.setString(1, id.pool().value());
      update.setString(2, id.toString());
      return update.executeUpdate();
    }
  }
}
