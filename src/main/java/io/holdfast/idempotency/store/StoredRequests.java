package io.holdfast.idempotency.store;

import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Finds the calls of idempotent routes by their token, without their digest. A caller finds only
/// its own calls.
@Singleton
public final class StoredRequests {
  /// Their answers have a secret, which only the request itself gets.
  private static final Set<Route> SECRET =
      EnumSet.of(Route.CREATE_KEY, Route.CREATE_AUTHORIZATION, Route.CREATE_WEBHOOK);

  private static final String SECRET_FIELD = "\"secret\":\"";

  /// Each route and hash is one look-up of the primary key.
  private static final String FIND =
      """
      SELECT r.route, r.pool, r.status, r.body, r.recorded_at,
             (SELECT coalesce(sum(p.replays), 0) FROM token_replay p
               WHERE p.token_hash = r.token_hash AND p.caller = r.caller AND p.route = r.route
                 AND p.used_at >= r.recorded_at) AS replays
        FROM request_result r
       WHERE r.caller = ? AND r.route = ANY (?) AND r.token_hash = ANY (?)
         AND r.window_end > clock_timestamp() AND r.status IS NOT NULL
         AND (?::text IS NULL OR r.pool = ?)
      """;

  private final Transactions transactions;
  private final ReplayLog replays;

  public StoredRequests(Transactions transactions, ReplayLog replays) {
    this.transactions = transactions;
    this.replays = replays;
  }

  /// One call in its window.
  ///
  /// @param route its word
  /// @param pool that it belongs to; null if to none
  /// @param answer null if it has a secret
  /// @param attempts the first execution and the replays
  public record Found(
      String route,
      @Nullable PoolName pool,
      int status,
      @Nullable Answer answer,
      Instant recordedAt,
      long attempts) {}

  /// @param pool null for the calls whose token belongs to no pool
  public List<Found> find(String caller, @Nullable PoolName pool, Token token) {
    replays.storeNow();
    return transactions.read(connection -> find(connection, caller, pool, token));
  }

  private static List<Found> find(
      Connection connection, String caller, @Nullable PoolName pool, Token token)
      throws SQLException {
    var routes = Stream.of(Route.values()).map(Route::word).toArray();
    var ofToken = IdempotencyStore.hash(null, token);
    var hashes =
        pool == null
            ? new byte[][] {ofToken}
            : new byte[][] {IdempotencyStore.hash(pool, token), ofToken};
    try (var select = connection.prepareStatement(FIND)) {
      select.setString(1, caller);
      select.setArray(2, connection.createArrayOf("text", routes));
      select.setArray(3, connection.createArrayOf("bytea", hashes));
      select.setString(4, pool == null ? null : pool.value());
      select.setString(5, pool == null ? null : pool.value());
      var found = new ArrayList<Found>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          found.add(found(rows));
        }
      }
      return found;
    }
  }

  private static Found found(ResultSet row) throws SQLException {
    var pool = row.getString("pool");
    var route = row.getString("route");
    var answer = new Answer(row.getInt("status"), row.getBytes("body"));
    return new Found(
        route,
        pool == null ? null : new PoolName(pool),
        answer.status(),
        hasSecret(route, answer) ? null : answer,
        ArrayBinder.moment(row, "recorded_at"),
        1 + row.getLong("replays"));
  }

  private static boolean hasSecret(String route, Answer answer) {
    return answer.status() < 400
        && (SECRET.stream().anyMatch(each -> each.word().equals(route))
            || new String(answer.body(), StandardCharsets.UTF_8).contains(SECRET_FIELD));
  }
}
