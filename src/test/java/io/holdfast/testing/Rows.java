package io.holdfast.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Reads and changes rows with plain SQL.
public record Rows(Supplier<Connection> connections) {

  public static Rows of(TestServers servers) {
    return new Rows(servers::connection);
  }

  public long number(String sql, Object... parameters) {
    return Long.parseLong(texts(sql, parameters).getFirst());
  }

  /// The first column.
  public List<String> texts(String sql, Object... parameters) {
    try (var connection = connections.get();
        var select = prepared(connection, sql, parameters);
        var rows = select.executeQuery()) {
      var texts = new ArrayList<String>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  public int change(String sql, Object... parameters) {
    try (var connection = connections.get();
        var update = prepared(connection, sql, parameters)) {
      return update.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /// The state of a hold in the table, or "none".
  public String stateOf(Api.Hold hold) {
    var states = texts("SELECT state FROM hold WHERE hold_id = ?", hold.id());
    return states.isEmpty() ? "none" : states.getFirst();
  }

  private static PreparedStatement prepared(Connection connection, String sql, Object... parameters)
      throws SQLException {
    var statement = connection.prepareStatement(sql);
    for (var i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }
}
