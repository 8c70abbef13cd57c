package io.holdfast.journal.store;

import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalLine.Call;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Stores the token outcomes of a batch of journal lines. A token can be used again after its
/// window; the later use replaces the earlier one, in the batch and in the table. The outcome of a
/// confirm is decided and stored by the sale transaction, except for an invalid request, which is
/// refused before Postgres is involved.
final class TokenBatch {
  private static final String UPSERT =
      """
      INSERT INTO token_result AS old (pool, caller, token, action, digest, digest_function, outcome,
                                       recorded_at, window_until)
      SELECT ?, caller, token, action::token_action, split_part(digest, ':', 2), split_part(digest, ':', 1),
             outcome, to_timestamp(at_ms::float8 / 1000), to_timestamp(until_ms::float8 / 1000)
        FROM (SELECT unnest(?::text[]) AS caller, unnest(?::bytea[]) AS token,
                     unnest(?::text[]) AS action, unnest(?::text[]) AS digest,
                     unnest(?::text[]) AS outcome, unnest(?::bigint[]) AS at_ms,
                     unnest(?::bigint[]) AS until_ms) AS used
          ON CONFLICT (pool, caller, token) DO UPDATE
             SET action = EXCLUDED.action, digest = EXCLUDED.digest,
                 digest_function = EXCLUDED.digest_function, outcome = EXCLUDED.outcome,
                 recorded_at = EXCLUDED.recorded_at, window_until = EXCLUDED.window_until
           WHERE old.recorded_at < EXCLUDED.recorded_at
             AND (old.action <> 'confirm' OR old.window_until <= EXCLUDED.recorded_at)
      """;

  private TokenBatch() {}

  private record Use(Call call, String outcome, Instant at) {}

  static void upsert(Connection connection, PoolName pool, List<JournalLine> lines)
      throws SQLException {
    var uses = uses(lines);
    if (uses.isEmpty()) {
      return;
    }
    try (var upsert = connection.prepareStatement(UPSERT)) {
      upsert.setString(1, pool.value());
      new ArrayBinder<>(upsert, 2, uses)
          .text(use -> use.call.caller())
          .bytes(use -> use.call.token())
          .text(use -> use.call.action().word())
          .text(use -> use.call.digest())
          .text(Use::outcome)
          .moment(Use::at)
          .moment(use -> use.at.plus(use.call.window()));
      upsert.executeUpdate();
    }
  }

  private static List<Use> uses(List<JournalLine> lines) {
    var uses = new LinkedHashMap<TokenRows.Key, Use>();
    for (var line : lines) {
      var call = line.call();
      if (call != null && !isStoredByLedger(call, line.outcome())) {
        uses.put(
            new TokenRows.Key(call.caller(), call.token()),
            new Use(call, line.storedText(), line.at()));
      }
    }
    return List.copyOf(uses.values());
  }

  private static boolean isStoredByLedger(Call call, @Nullable StoredOutcome outcome) {
    return call.action() == TokenAction.CONFIRM && !(outcome instanceof StoredOutcome.Invalid);
  }
}
