package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentCallRecord;
import io.holdfast.pool.Price;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.StatementRun;
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
import org.jspecify.annotations.Nullable;

/// The books of the payment simulator. The simulator acts as an external provider, so no entry is
/// part of a transaction of the service. A call is entered once; the version of a payment orders
/// its entries.
@Singleton
public final class SimulatorLedger {
  private static final String REPEAT =
      """
      UPDATE simulated_call SET asked = asked + 1 WHERE call_id = ?
      RETURNING *, coalesce(told_at > clock_timestamp(), false) AS untold
      """;

  /// Both tables in one snapshot: a call that is entered later raises the version.
  private static final String SELECT_ACCOUNTS =
      "SELECT "
          + Plans.BY_INDEX
          + """
          ;
          SELECT given.call_id AS asked_id, p.*, c.call_id IS NOT NULL AS entered
            FROM (SELECT unnest(?::text[]) AS payment_id, unnest(?::text[]) AS call_id) AS given
            LEFT JOIN simulated_payment p ON p.payment_id = given.payment_id
            LEFT JOIN simulated_call c ON c.call_id = given.call_id
          """;

  /// Writes all of an entry, or nothing if another entry of the payment came in between. The call
  /// and its notices are written only if the decision says so.
  private static final String ENTER =
      """
      WITH given AS MATERIALIZED (
          SELECT *, clock_timestamp() + delay_ms * interval '1 millisecond' AS due
            FROM (SELECT unnest(?::text[]) AS payment_id, unnest(?::text[]) AS currency,
                         unnest(?::bigint[]) AS authorised_cents,
                         unnest(?::bigint[]) AS captured_cents,
                         unnest(?::bigint[]) AS refunded_cents, unnest(?::bigint[]) AS cancelled,
                         unnest(?::bigint[]) AS refunds_refused, unnest(?::bigint[]) AS version,
                         unnest(?::bigint[]) AS delay_ms, unnest(?::text[]) AS call_id,
                         unnest(?::text[]) AS step, unnest(?::bigint[]) AS is_done,
                         unnest(?::bigint[]) AS moved_cents, unnest(?::text[]) AS moved_currency,
                         unnest(?::text[]) AS detail, unnest(?::bigint[]) AS is_untold,
                         unnest(?::bigint[]) AS is_kept, unnest(?::bigint[]) AS notices) AS given),
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
  private final BlockingBatcher<SimulatedRules, Optional<SimulatedCall>> batcher =
      new BlockingBatcher<>(
          "simulator-ledger",
          BatchPolicy.oneAtATime(BATCH_MAX),
          this::enterTogether,
          this::enterAlone);

  SimulatorLedger(Transactions transactions) {
    this.transactions = transactions;
  }

  private record Entry(PaymentCallRecord call, SimulatorDecision decision) {}

  /// Returns the entry of that call, made now or before; empty if too many other calls of that
  /// payment came in between.
  Optional<SimulatedCall> enter(SimulatedRules call) {
    return batcher.call(call);
  }

  private List<@Nullable Optional<SimulatedCall>> enterTogether(List<SimulatedRules> calls) {
    var entered = new ArrayList<@Nullable Optional<SimulatedCall>>();
    for (var call : tryToEnter(calls)) {
      entered.add(call == null ? null : Optional.of(call));
    }
    return entered;
  }

  private Optional<SimulatedCall> enterAlone(SimulatedRules rules) {
    for (var i = 0; i < TRIES; i++) {
      var repeated = transactions.write(connection -> repeat(connection, rules.call()));
      var entered = repeated == null ? tryToEnter(List.of(rules)).getFirst() : repeated;
      if (entered != null) {
        return Optional.of(entered);
      }
    }
    return Optional.empty();
  }

  /// Null for a call that is entered already, and for one that lost against another call.
  private List<@Nullable SimulatedCall> tryToEnter(List<SimulatedRules> calls) {
    return transactions.write(connection -> tryToEnter(connection, calls));
  }

  private static List<@Nullable SimulatedCall> tryToEnter(
      Connection connection, List<SimulatedRules> calls) throws SQLException {
    var accounts = accounts(connection, calls.stream().map(SimulatedRules::call).toList());
    var entries = new ArrayList<Entry>();
    for (var rules : calls) {
      var account = accounts.get(rules.call().callId());
      if (account != null) {
        entries.add(new Entry(rules.call(), rules.decide(account)));
      }
    }
    var payments = entries.isEmpty() ? Set.of() : insert(connection, entries);
    var entered = new HashMap<String, SimulatedCall>();
    entries.stream()
        .filter(entry -> payments.contains(entry.call.paymentId()))
        .forEach(entry -> entered.put(entry.call.callId(), call(entry.call, entry.decision)));
    return calls.stream().map(rules -> entered.get(rules.call().callId())).toList();
  }

  /// The payments of the calls that are not entered yet, by call id.
  private static Map<String, SimulatedAccount> accounts(
      Connection connection, List<PaymentCallRecord> calls) throws SQLException {
    var currencies = new HashMap<String, String>();
    calls.forEach(call -> currencies.put(call.callId(), call.amount().currency()));
    var accounts = new HashMap<String, SimulatedAccount>();
    try (var run = StatementRun.of(connection, SELECT_ACCOUNTS)) {
      run.rows(
              calls,
              columns -> columns.text(PaymentCallRecord::paymentId).text(PaymentCallRecord::callId))
          .execute()
          .skip() // the settings
          .take(
              row -> {
                var callId = row.getString("asked_id");
                if (!row.getBoolean("entered")) {
                  accounts.put(callId, account(row, currencies.get(callId)));
                }
              });
    }
    return accounts;
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

  private static @Nullable SimulatedCall repeat(Connection connection, PaymentCallRecord call)
      throws SQLException {
    try (var update = connection.prepareStatement(REPEAT)) {
      update.setString(1, call.callId());
      try (var row = update.executeQuery()) {
        return row.next() ? call(row) : null;
      }
    }
  }

  /// Returns the ids of the payments that were changed.
  private static Set<String> insert(Connection connection, List<Entry> entries)
      throws SQLException {
    var entered = new HashSet<String>();
    try (var run = StatementRun.of(connection, ENTER)) {
      run.rows(entries, SimulatorLedger::bind).execute().take(row -> entered.add(row.getString(1)));
    }
    return entered;
  }

  private static ArrayBinder<Entry> bind(ArrayBinder<Entry> columns) throws SQLException {
    return columns
        .text(entry -> entry.call.paymentId())
        .text(entry -> entry.decision.account().currency())
        .number(entry -> entry.decision.account().authorised())
        .number(entry -> entry.decision.account().captured())
        .number(entry -> entry.decision.account().refunded())
        .number(entry -> entry.decision.account().isCancelled() ? 1L : 0L)
        .number(entry -> (long) entry.decision.account().refundsRefused())
        .number(entry -> entry.decision.account().version() + 1)
        .number(entry -> entry.decision.delay().toMillis())
        .text(entry -> entry.call.callId())
        .text(entry -> entry.call.step())
        .number(entry -> entry.decision.isDone() ? 1L : 0L)
        .number(entry -> entry.decision.moved().cents())
        .text(entry -> entry.decision.moved().currency())
        .text(entry -> entry.decision.detail())
        .number(entry -> entry.decision.isNoticePending() ? 1L : 0L)
        .number(entry -> entry.decision.isKept() ? 1L : 0L)
        .number(entry -> (long) entry.decision.notices());
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

  private static SimulatedCall call(PaymentCallRecord call, SimulatorDecision decision) {
    return new SimulatedCall(
        call.callId(),
        call.paymentId(),
        call.step(),
        decision.isDone(),
        decision.moved(),
        decision.detail(),
        1,
        decision.isNoticePending());
  }
}
