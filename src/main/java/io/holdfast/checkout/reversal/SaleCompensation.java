package io.holdfast.checkout.reversal;

import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.commitment.auction.AuctionTable;
import io.holdfast.commitment.authorization.AuthorizationNonces;
import io.holdfast.commitment.authorization.AuthorizationNonces.Envelope;
import io.holdfast.commitment.authorization.AuthorizationNonces.Use;
import io.holdfast.commitment.claim.SaleReversals;
import io.holdfast.commitment.claim.SaleReversals.Reason;
import io.holdfast.commitment.claim.SaleReversals.Reversed;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.http.OneTimeSecret;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.holdfast.web.Timestamp;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reverses sales that failed their verification, each of them once: with the nonce of an operator,
/// or with one that the service makes for a pool that is compensated automatically. The nonce is
/// consumed in the transaction of the reversal and refers to it. The logical key stays consumed, so
/// nothing is sold under it again. The sale of a checkout is left to the checkout, which undoes it
/// by itself.
@Singleton
final class SaleCompensation {
  /// A caller cannot have this name.
  static final String POLICY = "policy:AUTOMATIC";

  private static final String OPERATION = "compensate";
  private static final String WHY = "the verification failed";
  private static final long SECONDS = 60;

  private static final String FACTS =
      """
      SELECT EXISTS (SELECT 1 FROM hold h
                      WHERE h.pool = given.pool AND h.hold_id = given.hold_id) AS is_known,
             EXISTS (SELECT 1 FROM verification v
                      WHERE v.pool = given.pool AND v.hold_id = given.hold_id
                        AND NOT v.passed) AS has_failed,
             EXISTS (SELECT 1 FROM reversal r
                      WHERE r.pool = given.pool AND r.hold_id = given.hold_id) AS is_reversed
        FROM (SELECT ?::text AS pool, ?::text AS hold_id) AS given
      """;

  private final IdempotencyStore results;
  private final IdempotencyHttp http;
  private final Transactions transactions;
  private final SaleReversals reversals;
  private final CheckoutReversal checkouts;
  private final CheckoutHoldClient holds;
  private final HoldRows rows;
  private final SecureRandom random;

  SaleCompensation(
      IdempotencyStore results,
      IdempotencyHttp http,
      Transactions transactions,
      SaleReversals reversals,
      CheckoutReversal checkouts,
      CheckoutHoldClient holds,
      HoldRows rows,
      SecureRandom random) {
    this.results = results;
    this.http = http;
    this.transactions = transactions;
    this.reversals = reversals;
    this.checkouts = checkouts;
    this.holds = holds;
    this.rows = rows;
    this.random = random;
  }

  @Serdeable
  @Schema(name = "SaleCompensated")
  record Compensated(String holdId, String commitmentId, String reversalId, String voidedAt) {}

  /// The result of one try.
  private sealed interface Outcome {
    record Done(Reversed reversed) implements Outcome {}

    record Refused(Problem why) implements Outcome {}
  }

  IdempotentResult compensate(
      IdempotentRouteCall call, String holdId, Map<String, @Nullable Object> body) {
    var hold = HoldId.parse(holdId);
    var done = new @Nullable Reversed[1];
    var result =
        results.once(
            holds.ofSale(call, hold),
            tx -> {
              try {
                var nonce = CompensateBody.read(JsonFields.of(body)).nonce();
                var outcome =
                    hold.isEmpty()
                        ? new Outcome.Refused(notKnown())
                        : compensate(
                            tx, hold.get(), AuthorizationNonces.hash(nonce), call.caller());
                return answer(outcome, holdId, done);
              } catch (InvalidField e) {
                return http.stored(e.problem());
              } catch (SQLException e) {
                throw PostgresUnavailable.nothingChanged(e);
              }
            });
    if (result instanceof IdempotentResult.Done && done[0] != null) {
      updateRedis(hold.orElseThrow(), done[0]);
    }
    return result;
  }

  private Answer answer(Outcome outcome, String holdId, @Nullable Reversed[] done) {
    return switch (outcome) {
      case Outcome.Refused(var why) -> http.stored(why);
      case Outcome.Done(var reversed) -> {
        done[0] = reversed;
        yield http.stored(
            HttpStatus.OK,
            new Compensated(
                holdId, "cm~" + holdId, reversed.reversalId(), Timestamp.of(reversed.voidedAt())));
      }
    };
  }

  /// By the policy of the pool, which is on record as the maker of the nonce. Returns whether the
  /// sale was reversed now.
  boolean compensateByPolicy(HoldId hold) {
    var outcome =
        transactions.write(
            connection -> {
              var nonce = AuthorizationNonces.hash(OneTimeSecret.salt(random));
              var envelope = new Envelope(hold, OPERATION, SECONDS, POLICY);
              AuthorizationNonces.insert(connection, envelope, nonce);
              var tried = compensate(new Transaction(connection), hold, nonce, POLICY);
              if (tried instanceof Outcome.Refused) {
                connection.rollback(); // the nonce has no use
              }
              return tried;
            });
    if (outcome instanceof Outcome.Done(var reversed)) {
      updateRedis(hold, reversed);
      return true;
    }
    return false;
  }

  /// The nonce is looked at first, so that the holder of one that was used learns just that.
  private Outcome compensate(Transaction tx, HoldId hold, byte[] nonce, String by)
      throws SQLException {
    var connection = tx.connection();
    AuctionTable.lockSale(connection, hold);
    var run = checkouts.lock(tx, hold);
    SaleReversals.lock(connection, hold);
    var use = AuthorizationNonces.look(connection, hold, OPERATION, nonce);
    var refusal = use == Use.CONSUMED ? nonceConsumed() : refusal(tx, hold, use);
    if (refusal == null && run.isPresent() && run.get().phase() != Phase.COMPENSATED) {
      refusal = conflict("checkout-running", "Its checkout undoes this sale; read that checkout.");
    }
    if (refusal != null) {
      return new Outcome.Refused(refusal);
    }
    var reversed = reversals.reverse(tx, hold, new Reason(by, WHY));
    if (reversed.isEmpty()) {
      return new Outcome.Refused(conflict("already-voided", "There is nothing left to reverse."));
    }
    var effect = reversed.get().reversalId();
    if (!AuthorizationNonces.consume(connection, hold, OPERATION, nonce, effect)) {
      throw new IllegalStateException("the time of a nonce ended before its use; nothing was done");
    }
    return new Outcome.Done(reversed.get());
  }

  private static @Nullable Problem refusal(Transaction tx, HoldId hold, Use nonce)
      throws SQLException {
    try (var select = tx.connection().prepareStatement(FACTS)) {
      select.setString(1, hold.pool().value());
      select.setString(2, hold.toString());
      try (var row = select.executeQuery()) {
        row.next();
        if (!row.getBoolean("is_known")) {
          return notKnown();
        }
        if (nonce == Use.UNBOUND) {
          return nonceUnbound();
        }
        if (row.getBoolean("is_reversed")) {
          return conflict("already-voided", "The sale was reversed before; its items are free.");
        }
        return row.getBoolean("has_failed")
            ? null
            : conflict(
                "not-compensating",
                "No sale of this hold has failed its verification; a sound sale is voided by POST"
                    + " /v1/commitments/{commitmentId}/void.");
      }
    }
  }

  private void updateRedis(HoldId hold, Reversed reversed) {
    rows.find(hold).ifPresent(record -> holds.reversed(hold.pool(), record, reversed.items()));
  }

  private static Problem notKnown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no record of such a hold.");
  }

  private static Problem nonceUnbound() {
    return Problem.refused(
        HttpStatus.FORBIDDEN,
        "nonce-unbound",
        "A nonce is needed that is valid now, for this hold and for the operation compensate; get"
            + " one by POST /v1/authorizations, and ask under a fresh token.");
  }

  private static Problem nonceConsumed() {
    return Problem.refused(
        HttpStatus.FORBIDDEN, "nonce-consumed", "The nonce was used before, for one reversal.");
  }

  private static Problem conflict(String code, String detail) {
    return Problem.refused(HttpStatus.CONFLICT, code, detail);
  }
}
