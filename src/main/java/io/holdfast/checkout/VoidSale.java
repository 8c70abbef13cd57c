package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.commitment.auction.AuctionTable;
import io.holdfast.commitment.claim.SaleReversals;
import io.holdfast.commitment.claim.SaleReversals.Reason;
import io.holdfast.commitment.claim.SaleReversals.Reversed;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Voids a sale for an operator. Its items are free at once. If it was paid by a checkout, that
/// checkout is compensated and refunds what was agreed.
@Singleton
final class VoidSale {
  private static final String PREFIX = "cm~";

  private final IdempotencyStore results;
  private final IdempotencyHttp http;
  private final SaleReversals reversals;
  private final CheckoutReversal checkouts;
  private final CheckoutHoldClient holds;
  private final HoldRows rows;

  VoidSale(
      IdempotencyStore results,
      IdempotencyHttp http,
      SaleReversals reversals,
      CheckoutReversal checkouts,
      CheckoutHoldClient holds,
      HoldRows rows) {
    this.results = results;
    this.http = http;
    this.reversals = reversals;
    this.checkouts = checkouts;
    this.holds = holds;
    this.rows = rows;
  }

  /// @param checkoutId that refunds the money; null for a sale without one
  @Serdeable
  @Schema(name = "CommitmentVoided")
  record Voided(
      String commitmentId,
      String reversalId,
      String voidedAt,
      long refundCents,
      @Nullable String checkoutId) {}

  IdempotentResult reverse(
      IdempotentRouteCall call, String commitmentId, Map<String, @Nullable Object> body) {
    var hold =
        commitmentId.startsWith(PREFIX)
            ? HoldId.parse(commitmentId.substring(PREFIX.length()))
            : Optional.<HoldId>empty();
    var done = new Reversed[1];
    var outcome =
        results.once(
            call,
            tx -> {
              try {
                return hold.isEmpty()
                    ? http.stored(notKnown())
                    : reverse(tx, hold.get(), JsonFields.of(body), call.caller(), done);
              } catch (InvalidField e) {
                return http.stored(e.problem());
              } catch (SQLException e) {
                throw PostgresUnavailable.nothingChanged(e);
              }
            });
    if (outcome instanceof IdempotentResult.Done && done[0] != null) {
      updateRedis(hold.orElseThrow(), done[0]);
    }
    return outcome;
  }

  private Answer reverse(
      Transaction tx, HoldId hold, JsonFields fields, String operator, Reversed[] done)
      throws SQLException {
    var body = VoidBody.read(fields);
    var policy = RefundPolicy.of(body);
    var reason = body.reason();
    AuctionTable.lockSale(tx.connection(), hold);
    var run = checkouts.lock(tx, hold);
    var sale = sale(tx, hold);
    if (sale.isEmpty()) {
      return http.stored(notKnown());
    }
    policy.refuseMoreThan(sale.get().cents());
    if (sale.get().isVoided()) {
      return http.stored(alreadyVoided());
    }
    if (run.isPresent() && run.get().phase() != Phase.DONE) {
      return http.stored(
          conflict("checkout-running", "Its checkout is running; void it after its end."));
    }
    if (body.quantity() != null) {
      var refusal = refusalOfPart(hold, body.quantity(), sale.get(), run.isPresent());
      if (refusal != null) {
        return http.stored(refusal);
      }
    }
    if (policy.isTooLate(sale.get().committedAt(), now(tx))) {
      return http.stored(
          conflict("refund-too-late", "The time for a refund is over; nothing was voided."));
    }
    var why = reason == null ? "voided by an operator" : reason;
    var reversed = reversals.reverse(tx, hold, new Reason(operator, why), body.quantity());
    if (reversed.isEmpty()) {
      return http.stored(alreadyVoided());
    }
    done[0] = reversed.get();
    var back = run.map(one -> policy.centsBack(one.order().price())).orElse(0L);
    if (run.isPresent()) {
      checkouts.compensate(tx, run.get(), back, operator);
    }
    return http.stored(
        HttpStatus.OK,
        new Voided(
            PREFIX + hold,
            reversed.get().reversalId(),
            reversed.get().voidedAt().truncatedTo(ChronoUnit.MILLIS).toString(),
            back,
            run.map(one -> one.id().toString()).orElse(null)));
  }

  private void updateRedis(HoldId hold, Reversed reversed) {
    rows.find(hold).ifPresent(record -> holds.reversed(hold.pool(), record, reversed.items()));
  }

  /// @param cents the price of all of its items
  /// @param live the number of its items that are not voided
  private record Sale(Instant committedAt, long cents, int live, boolean isOfUnits) {
    boolean isVoided() {
      return live == 0;
    }
  }

  private static Optional<Sale> sale(Transaction tx, HoldId hold) throws SQLException {
    var sql =
        """
        SELECT min(committed_at) AS at, sum(price_cents) AS cents,
               count(*) FILTER (WHERE voided_at IS NULL) AS live,
               EXISTS (SELECT 1 FROM stock WHERE pool = ?) AS is_of_units
          FROM commitment WHERE pool = ? AND hold_id = ?
        """;
    try (var select = tx.connection().prepareStatement(sql)) {
      select.setString(1, hold.pool().value());
      select.setString(2, hold.pool().value());
      select.setString(3, hold.toString());
      try (var row = select.executeQuery()) {
        row.next();
        return row.getString("at") == null
            ? Optional.empty()
            : Optional.of(
                new Sale(
                    ArrayBinder.moment(row, "at"),
                    row.getLong("cents"),
                    row.getInt("live"),
                    row.getBoolean("is_of_units")));
      }
    }
  }

  private static Instant now(Transaction tx) throws SQLException {
    try (var select = tx.connection().prepareStatement("SELECT clock_timestamp() AS now");
        var row = select.executeQuery()) {
      row.next();
      return ArrayBinder.moment(row, "now");
    }
  }

  /// Units of a sale that a checkout has paid cannot be voided one by one: its refund is for all.
  private static @Nullable Problem refusalOfPart(
      HoldId hold, int quantity, Sale sale, boolean isPaid) {
    if (!sale.isOfUnits) {
      return InvalidField.of("quantity", "is allowed for pools of the kind STOCK only").problem();
    }
    if (quantity > sale.live) {
      return InvalidField.of("quantity", "has to be a whole number from 1 to " + sale.live)
          .problem();
    }
    return isPaid && quantity < sale.live
        ? conflict(
            "checkout-paid",
            "A checkout has paid for the whole sale, and its refund is for the whole sale. Void all"
                + " of it.")
        : null;
  }

  private static Problem alreadyVoided() {
    return conflict("already-voided", "The commitment was voided before.");
  }

  private static Problem notKnown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such commitment.");
  }

  private static Problem conflict(String code, String detail) {
    return Problem.refused(HttpStatus.CONFLICT, code, detail);
  }
}
