package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.pool.Price;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.Transaction;
import java.sql.SQLException;
import java.util.List;

/// Money that moved, on record once for each call.
final class PaymentEntries {
  private static final String INSERT =
      """
      INSERT INTO payment_entry (pool, checkout_id, call_id, kind, cents, currency, reference)
      SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[],
                           ?::text[])
          ON CONFLICT ON CONSTRAINT payment_entry_key DO NOTHING
      """;

  enum Kind {
    AUTHORISED,
    CANCELLED,
    CAPTURED,
    REFUNDED,
    /// What a refund leaves with us by agreement.
    KEPT
  }

  private PaymentEntries() {}

  record Entry(CheckoutRun run, String callId, Kind kind, Price moved, String reference) {}

  static void add(Transaction tx, Entry... entries) throws SQLException {
    add(tx, List.of(entries));
  }

  static void add(Transaction tx, List<Entry> entries) throws SQLException {
    var isLone = entries.size() == 1;
    try (var insert = tx.connection().prepareStatement(isLone ? LoneRow.text(INSERT) : INSERT)) {
      new Columns.Slots(tx.connection(), insert, 1, isLone)
          .of(entries)
          .text(entry -> entry.run.id().pool().value())
          .text(entry -> entry.run.id().toString())
          .text(Entry::callId)
          .text(entry -> entry.kind.name())
          .number(entry -> entry.moved.cents())
          .text(entry -> entry.moved.currency())
          .text(Entry::reference);
      insert.executeUpdate();
    }
  }
}
