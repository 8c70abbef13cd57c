package io.holdfast.access;

import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// The keys of callers, by their hashes. A key itself is never seen here.
@Singleton
public final class ApiKeyTable {
  private static final String STATE =
      "SELECT coalesce(md5(string_agg(k::text, E'\\n' ORDER BY id)), '') FROM api_key k";

  private static final String VALID =
      "SELECT id, hash, caller, scopes FROM api_key WHERE revoked_at IS NULL";

  private static final String INSERT =
      "INSERT INTO api_key (hash, caller, scopes, created_by) VALUES (?, ?, ?, ?) RETURNING id";

  private static final String REVOKE =
      """
      UPDATE api_key SET revoked_at = coalesce(revoked_at, greatest(created_at, clock_timestamp()))
       WHERE id = ?
      """;

  private final ConnectionPool link;

  ApiKeyTable(ConnectionPool link) {
    this.link = link;
  }

  /// A text that differs whenever any key was made, revoked or changed in any other way.
  public String state() {
    try (var connection = link.connection();
        var rows = connection.createStatement().executeQuery(STATE)) {
      rows.next();
      return rows.getString(1);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  public List<ApiKeyRow> valid() {
    try (var connection = link.connection();
        var rows = connection.createStatement().executeQuery(VALID)) {
      var keys = new ArrayList<ApiKeyRow>();
      while (rows.next()) {
        var scopes = (String[]) rows.getArray("scopes").getArray();
        keys.add(
            new ApiKeyRow(
                rows.getLong("id"),
                rows.getBytes("hash"),
                rows.getString("caller"),
                List.of(scopes)));
      }
      return keys;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// Returns the id of the new key.
  ///
  /// @param createdBy the caller who made it
  public long insert(
      Transaction transaction, byte[] hash, String caller, List<String> scopes, String createdBy) {
    var connection = transaction.connection();
    try (var insert = connection.prepareStatement(INSERT)) {
      insert.setBytes(1, hash);
      insert.setString(2, caller);
      insert.setArray(3, connection.createArrayOf("text", scopes.toArray()));
      insert.setString(4, createdBy);
      try (var rows = insert.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// Returns false if there is no such key. One that is revoked already stays so since then.
  public boolean revoke(Transaction transaction, long id) {
    try (var update = transaction.connection().prepareStatement(REVOKE)) {
      update.setLong(1, id);
      return update.executeUpdate() == 1;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }
}
