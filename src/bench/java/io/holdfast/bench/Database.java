package io.holdfast.bench;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

/// A database of the service's Postgres, as its owner sees it.
///
/// @param url as the service itself was given it, with user and password
record Database(String url) {

  /// Another one on the same server.
  Database named(String name) {
    return new Database(url.replaceFirst("/[^/?]+[?]", "/" + name + "?"));
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  /// One after the other, each in a transaction of its own if it has just one statement.
  void run(String... texts) {
    try (var connection = connect();
        var statement = connection.createStatement()) {
      for (var text : texts) {
        statement.execute(text);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  long number(String query) {
    try (var connection = connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The connection parameters for the programs of Postgres.
  Map<String, String> environment() {
    var uri = URI.create(url.substring("jdbc:".length()));
    return Map.of(
        "PGHOST", uri.getHost(),
        "PGPORT", Integer.toString(uri.getPort()),
        "PGDATABASE", uri.getPath().substring(1),
        "PGUSER", parameter("user"),
        "PGPASSWORD", parameter("password"));
  }

  private String parameter(String name) {
    return url.replaceFirst(".*[?&]" + name + "=([^&]*).*", "$1");
  }
}
