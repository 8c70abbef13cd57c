package io.holdfast.audit;

import io.holdfast.postgres.AuditConnection;
import io.holdfast.postgres.Columns;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Tokens of holds that are in their window, as Postgres has them: those of the last moment may not
/// have come from Redis yet. Those of other routes are kept as hashes, and not shown.
@Singleton
final class TokensInWindow {
  private static final int COUNT_MAX = 100_000;

  private static final String UNDER_GUARD =
      """
      SELECT pool, caller, token, recorded_at, window_until FROM token_result
       WHERE window_until > clock_timestamp()
       ORDER BY window_until, pool, caller, token OFFSET ? LIMIT ?
      """;

  private static final String COUNT =
      """
      SELECT count(*) FROM
             (SELECT 1 FROM token_result WHERE window_until > clock_timestamp() LIMIT ?) t
      """;

  private final AuditConnection reads;

  TokensInWindow(AuditConnection reads) {
    this.reads = reads;
  }

  List<GuardReport.Entry> underGuard(int skip, int limit) {
    return reads.read(
        connection -> {
          try (var select = connection.prepareStatement(UNDER_GUARD)) {
            select.setInt(1, skip);
            select.setInt(2, limit);
            var found = new ArrayList<GuardReport.Entry>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                var token = new String(rows.getBytes("token"), StandardCharsets.UTF_8);
                found.add(
                    GuardReport.Entry.of(
                        rows.getString("pool") + " " + rows.getString("caller") + " " + token,
                        Columns.moment(rows, "recorded_at"),
                        Columns.moment(rows, "window_until")));
              }
            }
            return found;
          }
        });
  }

  long count() {
    return reads.read(
        connection -> {
          try (var select = connection.prepareStatement(COUNT)) {
            select.setInt(1, COUNT_MAX);
            try (var rows = select.executeQuery()) {
              rows.next();
              return rows.getLong(1);
            }
          }
        });
  }
}
