package io.holdfast.audit;

import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.AuditConnection;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Reads the tokens of holds that are in their window, from Postgres. The newest may still be in
/// Redis only. Tokens of routes without a pool are stored as hashes and not listed.
@Singleton
final class TokensInWindow {
  private static final int COUNT_MAX = 100_000;

  private static final String PAGE =
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

  List<GuardReport.Entry> page(int skip, int limit) {
    return reads.read(
        connection -> {
          try (var select = connection.prepareStatement(PAGE)) {
            select.setInt(1, skip);
            select.setInt(2, limit);
            var found = new ArrayList<GuardReport.Entry>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                var token = new String(rows.getBytes("token"), StandardCharsets.UTF_8);
                found.add(
                    GuardReport.Entry.of(
                        rows.getString("pool") + " " + rows.getString("caller") + " " + token,
                        ArrayBinder.moment(rows, "recorded_at"),
                        ArrayBinder.moment(rows, "window_until")));
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
