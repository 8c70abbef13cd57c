package io.holdfast.audit;

import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.AuditConnection;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Reads the tokens that are in their window, from Postgres. The newest of holds may still be in
/// Redis only. Tokens of the other routes are stored and shown as hashes.
@Singleton
final class TokensInWindow {
  private static final int COUNT_MAX = 100_000;

  private static final String PAGE =
      """
      SELECT pool || ' ' || caller AS owner, token, recorded_at, window_until FROM token_result
       WHERE window_until > clock_timestamp()
       ORDER BY window_until, pool, caller, token OFFSET ? LIMIT ?
      """;

  private static final String COUNT =
      """
      SELECT count(*) FROM
             (SELECT 1 FROM token_result WHERE window_until > clock_timestamp() LIMIT ?) t
      """;

  private static final String PAGE_OF_REQUESTS =
      """
      SELECT route || ' ' || caller AS owner, encode(token_hash, 'hex')::bytea AS token,
             recorded_at, window_end AS window_until
        FROM request_result
       WHERE window_end > clock_timestamp()
       ORDER BY window_end, route, caller, token_hash OFFSET ? LIMIT ?
      """;

  private static final String COUNT_OF_REQUESTS =
      """
      SELECT count(*) FROM
             (SELECT 1 FROM request_result WHERE window_end > clock_timestamp() LIMIT ?) t
      """;

  private final AuditConnection reads;

  TokensInWindow(AuditConnection reads) {
    this.reads = reads;
  }

  List<GuardReport.Entry> page(int skip, int limit) {
    return page(PAGE, skip, limit);
  }

  List<GuardReport.Entry> pageOfRequests(int skip, int limit) {
    return page(PAGE_OF_REQUESTS, skip, limit);
  }

  private List<GuardReport.Entry> page(String sql, int skip, int limit) {
    return reads.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setInt(1, skip);
            select.setInt(2, limit);
            var found = new ArrayList<GuardReport.Entry>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                var token = new String(rows.getBytes("token"), StandardCharsets.UTF_8);
                found.add(
                    GuardReport.Entry.of(
                        rows.getString("owner") + " " + token,
                        ArrayBinder.moment(rows, "recorded_at"),
                        ArrayBinder.moment(rows, "window_until")));
              }
            }
            return found;
          }
        });
  }

  long count() {
    return count(COUNT);
  }

  long countOfRequests() {
    return count(COUNT_OF_REQUESTS);
  }

  private long count(String sql) {
    return reads.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setInt(1, COUNT_MAX);
            try (var rows = select.executeQuery()) {
              rows.next();
              return rows.getLong(1);
            }
          }
        });
  }
}
