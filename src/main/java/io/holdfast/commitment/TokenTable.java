package io.holdfast.commitment;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.Pool;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.Columns;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/// What tokens came to, written together with it. A token in its window has one outcome; an entry
/// whose window has elapsed counts as absent.
final class TokenTable {
  static final String UPSERT =
      """
      INSERT INTO token_result AS old
             (pool, caller, token, action, digest, digest_function, outcome, recorded_at,
              window_until)
      SELECT pool, caller, token, action, split_part(digest, ':', 2), split_part(digest, ':', 1),
             given.outcome, to_timestamp(at_ms::float8 / 1000),
             to_timestamp(at_ms::float8 / 1000) + window_ms * interval '1 millisecond'
        FROM unnest(?::text[], ?::text[], ?::bytea[], ?::text[], ?::text[], ?::text[], ?::bigint[],
                    ?::bigint[])
          AS given (pool, caller, token, action, digest, outcome, at_ms, window_ms)
       ORDER BY pool, caller, token
          ON CONFLICT (pool, caller, token) DO UPDATE
             SET action = EXCLUDED.action, digest = EXCLUDED.digest,
                 digest_function = EXCLUDED.digest_function, outcome = EXCLUDED.outcome,
                 recorded_at = EXCLUDED.recorded_at, window_until = EXCLUDED.window_until
           WHERE old.window_until <= clock_timestamp()
      """;

  private TokenTable() {}

  /// @param outcome a word, a tab, and what belongs to it
  /// @param at Postgres' clock at the decision, or before it
  record Spent(
      TokenAction action,
      Pool pool,
      String caller,
      Token token,
      Digest digest,
      String outcome,
      Instant at) {}

  static int bind(Columns.Slots slots, List<Spent> rows) throws SQLException {
    return slots
        .of(rows)
        .text(spent -> spent.pool.name().value())
        .text(Spent::caller)
        .bytes(spent -> spent.token.value())
        .text(spent -> spent.action.word())
        .text(spent -> spent.digest.value())
        .text(Spent::outcome)
        .moment(Spent::at)
        .number(spent -> spent.pool.policy().idempotencyWindow().toMillis())
        .next();
  }
}
