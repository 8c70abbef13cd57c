package io.holdfast.audit;

import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.AuditConnection;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the history of one hold, or the uses of one token, from all tables that mention it.
@Singleton
final class HistoryQuery {
  private static final int STEPS_MAX = 1_000;

  static final DateTimeFormatter MILLISECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);

  /// The journal has no index by hold, so it is scanned from an hour before the placement to an
  /// hour after the end. By then the relay has settled the hold in Redis.
  private static final String OF_HOLD =
      """
      WITH held AS (SELECT * FROM hold WHERE pool = ? AND hold_id = ?),
           used AS (SELECT pool, caller, token, placed_at FROM held
                     UNION
                    SELECT pool, a.caller, a.token, placed_at
                      FROM held JOIN attempt a USING (pool, hold_id))
      SELECT * FROM (
        SELECT placed_at AS at, 'hold' AS source, 'PLACED' AS word, 'place_hold' AS action, caller,
               token, NULL::text AS attempt, fence, array_to_string(items, ', ') AS detail
          FROM held
         UNION ALL
        SELECT ended_at, 'hold', state::text, NULL, caller, NULL, NULL, fence,
               concat_ws(' ', end_reason, 'pin', pin_no)
          FROM held WHERE ended_at IS NOT NULL
         UNION ALL
        SELECT j.happened_at, 'journal', j.word, j.action::text, j.caller, j.token, NULL, j.fence,
               concat_ws(' ', 'epoch', j.epoch, cardinality(j.tokens) || ' calls')
          FROM held JOIN journal j USING (pool, hold_id)
         WHERE j.recorded_at BETWEEN held.placed_at - interval '1 hour'
                                 AND coalesce(held.ended_at, now()) + interval '1 hour'
         UNION ALL
        SELECT a.recorded_at, 'attempt', a.outcome, a.action::text, a.caller, a.token, a.attempt_id,
               NULL, concat_ws(' ', a.logical_key, a.detail)
          FROM held JOIN attempt a USING (pool, hold_id)
         UNION ALL
        SELECT p.last_at, 'replay', 'REPLAYED', p.route, p.caller, p.token, NULL, NULL,
               format('%s times since %s', p.replays,
                      to_char(p.first_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          FROM used JOIN token_replay p
                 ON p.token_hash = sha256(convert_to(used.pool, 'UTF8') || '\\x00'::bytea || used.token)
                AND p.caller = used.caller AND p.last_at >= used.placed_at
         UNION ALL
        SELECT c.committed_at, 'commitment', 'SOLD', 'confirm', c.caller, q.token, NULL, c.fence,
               format('%s for %s %s, order %s, key %s', c.item, c.price_cents, c.currency,
                      c.order_id, c.logical_key)
          FROM held JOIN commitment c USING (pool, hold_id)
          LEFT JOIN consumed_request q
                 ON q.pool = c.pool AND q.caller = c.caller AND q.target = c.hold_id
                AND q.logical_key IN (hashed(c.logical_key), c.logical_key)
         UNION ALL
        SELECT c.voided_at, 'commitment', 'VOIDED', NULL, c.caller, NULL, NULL, c.fence, c.item
          FROM held JOIN commitment c USING (pool, hold_id) WHERE c.voided_at IS NOT NULL
         UNION ALL
        SELECT o.created_at, 'checkout', 'STARTED', NULL, o.caller, NULL, NULL, o.fence,
               format('%s for %s %s', o.checkout_id, o.amount_cents, o.currency)
          FROM held JOIN checkout o USING (pool, hold_id)
         UNION ALL
        SELECT o.ended_at, 'checkout', o.phase, NULL, o.caller, NULL, NULL, o.fence,
               concat_ws(' ', o.checkout_id, o.failure_code)
          FROM held JOIN checkout o USING (pool, hold_id) WHERE o.ended_at IS NOT NULL
         UNION ALL
        SELECT v.verified_at, 'verification', CASE WHEN v.passed THEN 'PASSED' ELSE 'FAILED' END,
               NULL, NULL, NULL, NULL, NULL, v.detail
          FROM held JOIN verification v USING (pool, hold_id)) steps
       ORDER BY at
       LIMIT ?
      """;

  private static final String OF_TOKEN =
      """
      WITH asked AS (SELECT ?::text AS pool, ?::bytea AS token),
           hashes AS (
             SELECT pool, sha256(convert_to(pool, 'UTF8') || '\\x00'::bytea || token) AS token_hash
               FROM asked
              UNION ALL
             SELECT pool, sha256(token) FROM asked)
      SELECT * FROM (
        SELECT j.happened_at AS at, 'journal' AS source, j.word, j.action::text, j.caller, j.token,
               NULL::text AS attempt, j.fence, coalesce(j.hold_id, '') AS detail
          FROM asked JOIN journal j USING (pool, token)
         UNION ALL
        SELECT u.happened_at, 'journal', u.word, u.action::text, u.caller, asked.token, NULL, NULL,
               concat_ws(' ', 'counted with', u.calls, 'calls', u.hold_id)
          FROM asked JOIN token_use u ON u.pool = asked.pool AND u.print = token_print(asked.token)
         WHERE u.calls > 1
         UNION ALL
        SELECT t.recorded_at, 'entry', split_part(t.outcome, E'\\t', 1), t.action::text, t.caller, t.token,
               NULL, NULL, 'in its window until ' || to_char(t.window_until AT TIME ZONE 'UTC',
                                                            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          FROM asked JOIN token_result t USING (pool, token)
         UNION ALL
        SELECT a.recorded_at, 'attempt', a.outcome, a.action::text, a.caller, a.token, a.attempt_id, NULL,
               concat_ws(' ', a.hold_id, a.detail)
          FROM asked JOIN attempt a USING (pool, token)
         UNION ALL
        SELECT r.recorded_at, 'entry', r.status::text, r.route, r.caller, asked.token, NULL, NULL,
               'in its window until ' || to_char(r.window_end AT TIME ZONE 'UTC',
                                                 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          FROM hashes JOIN request_result r USING (token_hash, pool) CROSS JOIN asked
         UNION ALL
        SELECT p.last_at, 'replay', 'REPLAYED', p.route, p.caller, asked.token, NULL, NULL,
               format('%s times since %s, of the use at %s', p.replays,
                      to_char(p.first_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                      to_char(p.used_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          FROM hashes JOIN token_replay p USING (token_hash, pool) CROSS JOIN asked
         UNION ALL
        SELECT q.consumed_at, 'consumed', 'CONSUMED', q.operation, q.caller, q.token, NULL, NULL,
               concat_ws(' ', q.target, 'key', q.logical_key)
          FROM asked JOIN consumed_request q USING (pool, token)) uses
       ORDER BY at
       LIMIT ?
      """;

  private final AuditConnection reads;

  HistoryQuery(AuditConnection reads) {
    this.reads = reads;
  }

  /// Oldest first; empty if there is no record of the hold.
  List<History.Step> of(HoldId hold) {
    return reads.read(
        steps(
            OF_HOLD,
            select -> {
              select.setString(1, hold.pool().value());
              select.setString(2, hold.toString());
            }));
  }

  /// The uses of the token by all callers.
  List<History.Step> of(PoolName pool, Token token) {
    return reads.read(
        steps(
            OF_TOKEN,
            select -> {
              select.setString(1, pool.value());
              select.setBytes(2, ArrayBinder.bytes(token.value()));
            }));
  }

  @FunctionalInterface
  private interface Binding {
    void to(PreparedStatement select) throws SQLException;
  }

  private static Transactions.Work<List<History.Step>> steps(String sql, Binding binding) {
    return connection -> {
      try (var select = connection.prepareStatement(sql)) {
        binding.to(select);
        select.setInt(3, STEPS_MAX);
        var steps = new ArrayList<History.Step>();
        try (var rows = select.executeQuery()) {
          while (rows.next()) {
            steps.add(step(rows));
          }
        }
        return steps;
      }
    };
  }

  private static History.Step step(ResultSet row) throws SQLException {
    return new History.Step(
        MILLISECONDS.format(ArrayBinder.moment(row, "at")),
        row.getString("source"),
        row.getString("word"),
        row.getString("action"),
        row.getString("caller"),
        shown(row.getBytes("token")),
        row.getString("attempt"),
        row.getObject("fence", Long.class),
        row.getString("detail"));
  }

  /// Decoded as UTF-8, which nearly all tokens are.
  private static @Nullable String shown(byte @Nullable [] token) {
    return token == null ? null : new String(token, StandardCharsets.UTF_8);
  }
}
