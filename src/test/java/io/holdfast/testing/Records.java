package io.holdfast.testing;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// What both servers have on record of a pool, as an auditor would look it up.
public record Records(TestServers servers, Api api) {

  /// The words of the pool's journal in their order, after all that has happened was brought to
  /// Postgres: asking for a page of holds does that.
  public List<String> words(String pool) {
    drain(pool);
    return texts("SELECT word FROM journal WHERE pool = ? ORDER BY recorded_at, stream_seq", pool);
  }

  public long holds(String pool) {
    drain(pool);
    return Long.parseLong(texts("SELECT count(*) FROM hold WHERE pool = ?", pool).getFirst());
  }

  /// The pool's tokens in Redis, each behind its caller and a tab.
  public List<String> tokens(String pool) {
    return new RedisTokens(servers, pool).all();
  }

  /// The first column of what a query finds, as text.
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
