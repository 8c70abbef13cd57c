package io.holdfast.checkout.reversal;

import io.holdfast.checkout.reversal.SoldOrder.Item;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Part;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.commitment.auction.AuctionTable;
import io.holdfast.commitment.claim.SaleReversals;
import io.holdfast.commitment.claim.SaleReversals.Reason;
import io.holdfast.commitment.claim.SaleReversals.Refund;
import io.holdfast.commitment.claim.SaleReversals.Reversed;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.holdfast.web.Timestamp;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Voids a sale or a part of it for an operator. The items are free at once. If it was paid by a
/// checkout, that checkout refunds what was agreed, and is compensated once nothing is left. The
/// rows are locked before they are read, so parts of one sale are voided one after another.
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

  /// @param refundCents what the buyer gets back now
  /// @param keptCents what is kept of the price of the voided items
  /// @param checkoutId that refunds the money; null for a sale without one
  /// @param items that were voided now; empty for a quantity
  /// @param quantity how many items or units were voided now
  /// @param remaining how many items or units of the sale are still sold
  @Serdeable
  @Schema(name = "CommitmentVoided")
  record Voided(
      String commitmentId,
      String reversalId,
      String voidedAt,
      long refundCents,
      long keptCents,
      @Nullable String checkoutId,
      List<String> items,
      int quantity,
      int remaining) {}

  IdempotentResult reverse(
      IdempotentRouteCall call, String commitmentId, Map<String, @Nullable Object> body) {
    var hold =
        commitmentId.startsWith(PREFIX)
            ? HoldId.parse(commitmentId.substring(PREFIX.length()))
            : Optional.<HoldId>empty();
    var done = new Reversed[1];
    var outcome =
        results.once(
            holds.ofSale(call, hold),
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
    AuctionTable.lockSale(tx.connection(), hold);
    var run = checkouts.lock(tx, hold);
    SaleReversals.lock(tx.connection(), hold);
    var sale = SoldOrder.read(tx.connection(), hold);
    if (sale.isEmpty()) {
      return http.stored(notKnown());
    }
    var refusal = refusal(sale.get(), run);
    if (refusal != null) {
      return http.stored(refusal);
    }
    var part = sale.get().named(body);
    var partRefusal = refusalOfPart(sale.get(), part);
    if (partRefusal != null) {
      return http.stored(partRefusal);
    }
    policy.refuseMoreThan(SoldOrder.cents(part));
    if (policy.isTooLate(sale.get())) {
      return http.stored(
          conflict("refund-too-late", "The time for a refund is over; nothing was voided."));
    }
    var order = new Order(sale.get(), part, body.namesPart(), run);
    return reverse(tx, hold, order, policy, body.reason(), operator, done);
  }

  /// @param part the items to void now
  /// @param isNamed whether the request names the part; it may be all that is left
  /// @param run the checkout that has paid for the sale
  private record Order(
      SoldOrder sale, List<Item> part, boolean isNamed, Optional<CheckoutRun> run) {
    /// A failed sale is undone as a whole, with the items whose commitments are missing.
    boolean isPart() {
      return isNamed && !sale.hasFailed();
    }

    boolean isAllThatIsLeft() {
      return part.size() == sale.live().size();
    }

    /// What was paid for the part. The last one takes all that is left of the payment.
    long paidCents() {
      var left = run.map(one -> one.unvoided().cents()).orElse(0L);
      return isAllThatIsLeft() ? left : Math.min(left, SoldOrder.cents(part));
    }
  }

  private Answer reverse(
      Transaction tx,
      HoldId hold,
      Order order,
      RefundPolicy policy,
      @Nullable String reason,
      String operator,
      Reversed[] done)
      throws SQLException {
    var paid = order.paidCents();
    var back = policy.centsBack(order.sale, order.part, paid);
    var refund = new Refund(policy.kind().word(), SoldOrder.cents(order.part), back);
    var why = reason == null ? "voided by an operator" : reason;
    var items = order.part.stream().map(item -> new ItemId(item.name())).toList();
    var reversed =
        reversals
            .reverse(tx, hold, new Reason(operator, why, refund), order.isPart() ? items : null)
            .orElseThrow();
    done[0] = reversed;
    if (order.run.isPresent() && order.isAllThatIsLeft()) {
      checkouts.compensate(tx, order.run.get(), back, operator);
    } else if (order.run.isPresent()) {
      checkouts.refundPart(tx, order.run.get(), new Part(paid, back), operator);
    }
    return http.stored(
        HttpStatus.OK,
        new Voided(
            PREFIX + hold,
            reversed.reversalId(),
            Timestamp.of(reversed.voidedAt()),
            back,
            paid - back,
            order.run.map(one -> one.id().toString()).orElse(null),
            order.sale.isOfUnits() ? List.of() : items.stream().map(ItemId::value).toList(),
            items.size(),
            reversed.remaining()));
  }

  /// The checkout of a failed sale undoes it by itself. If the checkout has been fulfilled, its
  /// void gives the money back too.
  private static @Nullable Problem refusal(SoldOrder sale, Optional<CheckoutRun> run) {
    if (sale.live().isEmpty()) {
      return conflict("already-voided", "The commitment was voided before.");
    }
    if (run.isEmpty()) {
      return sale.hasFailed() ? compensating() : null;
    }
    var phase = run.get().phase();
    return phase == Phase.DONE || phase == Phase.REFUNDING
        ? null
        : conflict("checkout-running", "Its checkout is running; void it after its end.");
  }

  /// Whoever undoes a failed sale needs a nonce for that.
  private static Problem compensating() {
    return conflict(
        "compensating",
        "The verification of this sale failed; it is undone by POST"
            + " /v1/holds/{holdId}/compensate.");
  }

  private static @Nullable Problem refusalOfPart(SoldOrder sale, List<Item> part) {
    var voided = part.stream().filter(Item::isVoided).map(Item::name).toList();
    if (!voided.isEmpty()) {
      return conflict("already-voided", "Items of it were voided before; nothing was done.")
          .naming(voided);
    }
    return sale.hasFailed() && part.size() < sale.items().size()
        ? conflict(
            "compensating",
            "The verification of this sale failed, so it is voided as a whole only.")
        : null;
  }

  private void updateRedis(HoldId hold, Reversed reversed) {
    rows.find(hold).ifPresent(record -> holds.reversed(hold.pool(), record, reversed.items()));
  }

  private static Problem notKnown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such commitment.");
  }

  private static Problem conflict(String code, String detail) {
    return Problem.refused(HttpStatus.CONFLICT, code, detail);
  }
}
