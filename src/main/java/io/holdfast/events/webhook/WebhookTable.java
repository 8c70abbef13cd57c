package io.holdfast.events.webhook;

import io.holdfast.postgres.Columns;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The registered webhooks. A deleted webhook stays in the table, disabled and hidden.
@Singleton
final class WebhookTable {
  static final String DELETED = "deleted";

  private static final String FIND =
      "SELECT * FROM webhook WHERE deleted_at IS NULL AND caller = ? AND id %s ORDER BY id LIMIT ?";

  private static final String INSERT =
      "INSERT INTO webhook (caller, url, types, secret) VALUES (?, ?, ?, ?) RETURNING *";

  /// Earlier events are not delivered. Pools without events need no row: they start at 0.
  private static final String START_AFTER_LAST_EVENT =
      "INSERT INTO webhook_lane (webhook_id, pool, seq) SELECT ?, pool, seq FROM event_head";

  private final Transactions transactions;

  WebhookTable(Transactions transactions) {
    this.transactions = transactions;
  }

  List<Webhook> enabled() {
    return transactions.read(
        connection -> {
          var sql = "SELECT * FROM webhook WHERE enabled ORDER BY id";
          try (var select = connection.prepareStatement(sql)) {
            return webhooks(select);
          }
        });
  }

  Optional<Webhook> find(String caller, long id) {
    return transactions.read(connection -> find(connection, caller, id));
  }

  List<Webhook> page(String caller, long after, int limit) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(FIND.formatted("> ?"))) {
            select.setString(1, caller);
            select.setLong(2, after);
            select.setInt(3, limit);
            return webhooks(select);
          }
        });
  }

  /// @param why is shown to the owner
  void disable(long id, String why) {
    transactions.write(
        connection -> {
          var sql = "UPDATE webhook SET enabled = false, disabled_why = ? WHERE id = ? AND enabled";
          try (var update = connection.prepareStatement(sql)) {
            update.setString(1, why);
            update.setLong(2, id);
            return update.executeUpdate();
          }
        });
  }

  static Optional<Webhook> find(Connection connection, String caller, long id) throws SQLException {
    try (var select = connection.prepareStatement(FIND.formatted("= ?"))) {
      select.setString(1, caller);
      select.setLong(2, id);
      select.setInt(3, 1);
      return webhooks(select).stream().findFirst();
    }
  }

  static int count(Connection connection) throws SQLException {
    var sql = "SELECT count(*) FROM webhook WHERE deleted_at IS NULL";
    try (var select = connection.prepareStatement(sql);
        var row = select.executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }

  static Webhook insert(Connection connection, String caller, NewWebhook webhook, String secret)
      throws SQLException {
    Webhook created;
    try (var insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, caller);
      insert.setString(2, webhook.url().toString());
      insert.setArray(3, connection.createArrayOf("text", webhook.types().toArray()));
      insert.setString(4, secret);
      created = webhooks(insert).getFirst();
    }
    try (var start = connection.prepareStatement(START_AFTER_LAST_EVENT)) {
      start.setLong(1, created.id());
      start.executeUpdate();
    }
    return created;
  }

  static void delete(Connection connection, long id) throws SQLException {
    var sql =
        """
        UPDATE webhook SET enabled = false, disabled_why = ?, deleted_at = clock_timestamp()
         WHERE id = ?
        """;
    try (var update = connection.prepareStatement(sql)) {
      update.setString(1, DELETED);
      update.setLong(2, id);
      update.executeUpdate();
    }
    try (var delete =
        connection.prepareStatement("DELETE FROM webhook_lane WHERE webhook_id = ?")) {
      delete.setLong(1, id);
      delete.executeUpdate();
    }
  }

  static void enable(Connection connection, long id) throws SQLException {
    var sql = "UPDATE webhook SET enabled = true, disabled_why = NULL WHERE id = ?";
    try (var update = connection.prepareStatement(sql)) {
      update.setLong(1, id);
      update.executeUpdate();
    }
  }

  private static List<Webhook> webhooks(PreparedStatement select) throws SQLException {
    var found = new ArrayList<Webhook>();
    try (var rows = select.executeQuery()) {
      while (rows.next()) {
        found.add(webhook(rows));
      }
    }
    return found;
  }

  private static Webhook webhook(ResultSet row) throws SQLException {
    return new Webhook(
        row.getLong("id"),
        row.getString("caller"),
        URI.create(row.getString("url")),
        List.of((String[]) row.getArray("types").getArray()),
        row.getString("secret"),
        Columns.moment(row, "created_at"),
        row.getString("disabled_why"));
  }
}
