package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.BatchWork;
import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Pending;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.payment.GatewayRegistry;
import io.holdfast.payment.PaymentCall;
import io.holdfast.payment.PaymentGateway;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.pool.Price;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the steps that move money share: the gateway of a run, the id of its payment, and the table
/// of amounts that moved, one row for each call.
@Singleton
final class PaymentCalls {
  private static final String INSERT =
      """
      INSERT INTO payment_entry (pool, checkout_id, call_id, kind, cents, currency, reference)
      SELECT unnest(?::text[]), unnest(?::text[]), unnest(?::text[]), unnest(?::text[]),
             unnest(?::bigint[]), unnest(?::text[]), unnest(?::text[])
          ON CONFLICT ON CONSTRAINT payment_entry_key DO NOTHING
      """;

  private static final BatchWork<Entry> RECORD =
      (tx, entries, _) -> {
        record(tx, entries);
        return entries.stream().<@Nullable StepOutcome>map(e -> new Done(e.reference())).toList();
      };

  private final GatewayRegistry gateways;

  /// An amount that moved.
  record Entry(CheckoutRun run, String callId, Kind kind, Price moved, String reference) {}

  enum Kind {
    AUTHORISED,
    CANCELLED,
    CAPTURED,
    REFUNDED,
    /// What is not refunded, by agreement.
    KEPT
  }

  PaymentCalls(GatewayRegistry gateways) {
    this.gateways = gateways;
  }

  PaymentGateway gateway(CheckoutRun run) {
    var provider = run.order().provider();
    return gateways
        .find(provider)
        .orElseThrow(() -> new IllegalStateException("no gateway is configured for " + provider));
  }

  /// A checkout has one payment, named by its id.
  static PaymentCall call(CheckoutRun run, String callId, Price amount) {
    return new PaymentCall(callId, run.id().toString(), run.order().method(), amount);
  }

  /// An amount that moved is recorded in the transaction that stores the step.
  static StepOutcome outcome(CheckoutRun run, String callId, Kind kind, PaymentOutcome outcome) {
    return switch (outcome) {
      case PaymentOutcome.Done(var reference, var moved) ->
          new InTransaction(
              new Batchable<>(RECORD, new Entry(run, callId, kind, moved, reference)));
      case PaymentOutcome.Declined(var why) -> new Failed("payment-declined", why);
      case PaymentOutcome.Pending(var why) -> new Pending(why);
      case PaymentOutcome.Unknown(var why) -> new Unknown(why);
    };
  }

  static void record(Transaction tx, Entry... entries) throws SQLException {
    record(tx, List.of(entries));
  }

  private static void record(Transaction tx, List<Entry> entries) throws SQLException {
    try (var run = StatementRun.of(tx.connection(), INSERT)) {
      run.rows(
              entries,
              columns ->
                  columns
                      .text(entry -> entry.run.id().pool().value())
                      .text(entry -> entry.run.id().toString())
                      .text(Entry::callId)
                      .text(entry -> entry.kind.name())
                      .number(entry -> entry.moved.cents())
                      .text(entry -> entry.moved.currency())
                      .text(Entry::reference))
          .execute();
    }
  }
}
