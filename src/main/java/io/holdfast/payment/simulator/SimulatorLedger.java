package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentCallRecord;
import io.holdfast.pool.Price;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BlockingBatcher;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The books of the payment simulator. They stand for those of a provider, so no entry is ever a
/// part of a transaction of ours. A call is entered once; entries of one payment follow one another
/// by its version.
@Singleton
public final class SimulatorLedger {
  private static final String REPEAT =
      """
      UPDATE simulated_call SET asked = asked + 1 WHERE call_id = ?
      RETURNING *, coalesce(told_at > clock_timestamp(), false) AS untold
      """;

  private static final String BY_INDEX = "SELECT " + Plans.BY_INDEX + ";\n";

  /// One snapshot of both: a call that is entered after it has raised the version.
  private static final String STANDING =
      """
      SELECT given.call_id AS asked_id, p.*, c.call_id IS NOT NULL AS entered
        FROM unnest(?::text[], ?::text[]) AS given (payment_id, call_id)
        LEFT JOIN simulated_payment p ON p.payment_id = given.payment_id
        LEFT JOIN simulated_call c ON c.call_id = given.call_id
      """;

  /// All of an entry, or nothing of it if another one has come in between. The call is kept and the
  /// notices are written only where the entry says so.
  private static final String ENTER =
      """
      WITH given AS MATERIALIZED (
          SELECT *, clock_timestamp() + delay_ms * interval '1 millisecond' AS due
            FROM unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
                        ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bigint[],
                        ?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[])
              AS given (payment_id, currency, authorised_cents, captured_cents, refunded_cents,
                        cancelled, refunds_refused, version, delay_ms, call_id, step, is_done,
                        moved_cents, moved_currency, detail, is_untold, is_kept, notices)),
      account AS (
          INSERT INTO simulated_payment AS old
                 (payment_id, currency, authorised_cents, captured_cents, refunded_cents, cancelled,
                  refunds_refused, version)
          SELECT payment_id, currency, authorised_cents, captured_cents, refunded_cents,
                 cancelled = 1, refunds_refused, version
            FROM given ORDER BY payment_id
              ON CONFLICT (payment_id) DO UPDATE
             SET authorised_cents = EXCLUDED.authorised_cents,
                 captured_cents = EXCLUDED.captured_cents,
                 refunded_cents = EXCLUDED.refunded_cents,
                 cancelled = EXCLUDED.cancelled,
                 refunds_refused = EXCLUDED.refunds_refused,
                 version = EXCLUDED.version
           WHERE old.version = EXCLUDED.version - 1
          RETURNING payment_id),
      kept AS (
          INSERT INTO simulated_call
                 (call_id, payment_id, step, is_done, moved_cents, currency, detail, asked, told_at)
          SELECT call_id, payment_id, step, is_done = 1, moved_cents, moved_currency, detail, 1,
                 CASE is_untold WHEN 1 THEN due END
            FROM account JOIN given USING (payment_id) WHERE is_kept = 1
          RETURNING call_id),
      told AS (
          INSERT INTO simulated_notice (call_id, times, due_at)
          SELECT call_id, notices, due FROM kept JOIN given USING (call_id) WHERE notices > 0)
      SELECT payment_id FROM account
      """;

  private static final int TRIES = 10;
  private static final int BATCH_MAX = 64;

  private final Transactions transactions;
  private final BlockingBatcher<Asked, Optional<SimulatedCall>> batcher =
      new BlockingBatcher<>(
          "simulator-ledger",
          BatchPolicy.oneAtATime(BATCH_MAX),
          this::enterTogether,
          this::enterAlone);

  SimulatorLedger(Transactions transactions) {
    this.transactions = transactions;
  }

  private record Asked(
      PaymentCallRecord ask, Function<SimulatedAccount, SimulatorDecision> decide) {}

  private record Entering(PaymentCallRecord ask, SimulatorDecision entry) {}

  /// What was entered for that call, now or when it was asked before; empty if too many other calls
  /// of that payment came in between.
  ///
  /// @param decide from how the payment stands to what comes of the call; may be asked again
  public Optional<SimulatedCall> enter(
      PaymentCallRecord ask, Function<SimulatedAccount, SimulatorDecision> decide) {
    return batcher.call(new Asked(ask, decide));
  }

  private List<@Nullable Optional<SimulatedCall>> enterTogether(List<Asked> calls) {
    var entered = new ArrayList<@Nullable Optional<SimulatedCall>>();
    for (var call : tryToEnter(calls)) {
      entered.add(call == null ? null : Optional.of(call));
    }
    return entered;
  }

  private Optional<SimulatedCall> enterAlone(Asked asked) {
    for (var i = 0; i < TRIES; i++) {
      var repeated = transactions.write(connection -> repeat(connection, asked.ask));
      var entered = repeated == null ? tryToEnter(List.of(asked)).getFirst() : repeated;
      if (entered != null) {
        return Optional.of(entered);
      }
    }
    return Optional.empty();
  }

  /// Null for a call that is entered already, and for one that another one was faster than.
  private List<@Nullable SimulatedCall> tryToEnter(List<Asked> calls) {
    return transactions.write(connection -> tryToEnter(connection, calls));
  }

  private static List<@Nullable SimulatedCall> tryToEnter(Connection connection, List<Asked> calls)
      throws SQLException {
    var standing = standing(connection, calls.stream().map(Asked::ask).toList());
    var entering = new ArrayList<Entering>();
    for (var call : calls) {
      var account = standing.get(call.ask.callId());
      if (account != null) {
        entering.add(new Entering(call.ask, call.decide.apply(account)));
      }
    }
    var entered = entering.isEmpty() ? Set.of() : enter(connection, entering);
    var made = new HashMap<String, SimulatedCall>();
    entering.stream()
        .filter(one -> entered.contains(one.ask.paymentId()))
        .forEach(one -> made.put(one.ask.callId(), call(one.ask, one.entry)));
    return calls.stream().map(call -> made.get(call.ask.callId())).toList();
  }

  /// How the payments of those calls stand that are not entered yet, by the ids of the calls.
  private static Map<String, SimulatedAccount> standing(
      Connection connection, List<PaymentCallRecord> asks) throws SQLException {
    var isLone = asks.size() == 1;
    var currencies = new HashMap<String, String>();
    asks.forEach(ask -> currencies.put(ask.callId(), ask.amount().currency()));
    var standing = new HashMap<String, SimulatedAccount>();
    var sql = BY_INDEX + (isLone ? LoneRow.text(STANDING) : STANDING);
    try (var select = connection.prepareStatement(Plans.current(sql))) {
      new Columns.Slots(connection, select, 1, isLone)
          .of(asks)
          .text(PaymentCallRecord::paymentId)
          .text(PaymentCallRecord::callId);
      select.execute();
      select.getMoreResults(); // the settings
      try (var row = select.getResultSet()) {
        while (row.next()) {
          var callId = row.getString("asked_id");
          if (!row.getBoolean("entered")) {
            standing.put(callId, account(row, currencies.get(callId)));
          }
        }
      }
    }
    return standing;
  }

  private static SimulatedAccount account(ResultSet row, String currency) throws SQLException {
    if (row.getString("payment_id") == null) {
      return SimulatedAccount.none(currency);
    }
    return new SimulatedAccount(
        row.getString("currency"),
        row.getObject("authorised_cents", Long.class),
        row.getObject("captured_cents", Long.class),
        row.getLong("refunded_cents"),
        row.getBoolean("cancelled"),
        row.getInt("refunds_refused"),
        row.getLong("version"));
  }

  private static @Nullable SimulatedCall repeat(Connection connection, PaymentCallRecord ask)
      throws SQLException {
    try (var update = connection.prepareStatement(REPEAT)) {
      update.setString(1, ask.callId());
      try (var row = update.executeQuery()) {
        return row.next() ? call(row) : null;
      }
    }
  }

  /// Returns the ids of the payments for which it is entered.
  private static Set<String> enter(Connection connection, List<Entering> entering)
      throws SQLException {
    var isLone = entering.size() == 1;
    var entered = new HashSet<String>();
    try (var enter = connection.prepareStatement(isLone ? LoneRow.text(ENTER) : ENTER)) {
      bind(new Columns.Slots(connection, enter, 1, isLone), entering);
      try (var rows = enter.executeQuery()) {
        while (rows.next()) {
          entered.add(rows.getString(1));
        }
      }
    }
    return entered;
  }

  private static void bind(Columns.Slots slots, List<Entering> entering) throws SQLException {
    slots
        .of(entering)
        .text(one -> one.ask.paymentId())
        .text(one -> one.entry.account().currency())
        .number(one -> one.entry.account().authorised())
        .number(one -> one.entry.account().captured())
        .number(one -> one.entry.account().refunded())
        .number(one -> one.entry.account().isCancelled() ? 1L : 0L)
        .number(one -> (long) one.entry.account().refundsRefused())
        .number(one -> one.entry.account().version() + 1)
        .number(one -> one.entry.delay().toMillis())
        .text(one -> one.ask.callId())
        .text(one -> one.ask.step())
        .number(one -> one.entry.isDone() ? 1L : 0L)
        .number(one -> one.entry.moved().cents())
        .text(one -> one.entry.moved().currency())
        .text(one -> one.entry.detail())
        .number(one -> one.entry.isUntold() ? 1L : 0L)
        .number(one -> one.entry.isKept() ? 1L : 0L)
        .number(one -> (long) one.entry.notices());
  }

  static SimulatedCall call(ResultSet row) throws SQLException {
    return new SimulatedCall(
        row.getString("call_id"),
        row.getString("payment_id"),
        row.getString("step"),
        row.getBoolean("is_done"),
        new Price(row.getLong("moved_cents"), row.getString("currency")),
        row.getString("detail"),
        row.getInt("asked"),
        row.getBoolean("untold"));
  }

  private static SimulatedCall call(PaymentCallRecord ask, SimulatorDecision entry) {
    return new SimulatedCall(
        ask.callId(),
        ask.paymentId(),
        ask.step(),
        entry.isDone(),
        entry.moved(),
        entry.detail(),
        1,
        entry.isUntold());
  }
}
