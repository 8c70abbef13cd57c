package io.holdfast.testing;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Reads the data of a pool in both servers.
public record Records(TestServers servers, Api api) {

  /// The words of the journal of a pool in order, once for each call that a line counts. Drains the
  /// journal first by reading a page of holds.
  public List<String> words(String pool) {
    drain(pool);
    return texts(
        "SELECT word FROM journal, generate_series(1, coalesce(cardinality(tokens), 1))"
            + " WHERE pool = ? ORDER BY recorded_at, stream_seq",
        pool);
  }

  public long holds(String pool) {
    drain(pool);
    return Long.parseLong(texts("SELECT count(*) FROM hold WHERE pool = ?", pool).getFirst());
  }

  /// The tokens of the pool in Redis, as caller, tab, token.
  public List<String> tokens(String pool) {
    return new RedisTokens(servers, pool).all();
  }

  /// The first column of a query, as text.
  public List<String> texts(String sql, Object... parameters) {
    try (var connection = servers.connection();
        var select = connection.prepareStatement(sql)) {
      for (var i = 0; i < parameters.length; i++) {
        select.setObject(i + 1, parameters[i]);
      }
      var found = new ArrayList<String>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private void drain(String pool) {
    var page = api.get("/v1/pools/" + pool + "/holds");
    if (page.statusCode() != 200) {
      throw new AssertionError("the journal could not be drained: " + page.body());
    }
  }
}
