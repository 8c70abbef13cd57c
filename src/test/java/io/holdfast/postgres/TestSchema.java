package io.holdfast.postgres;

import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The schema of a test class's own database: emptied, migrated as the service does it, and read.
public record TestSchema(TestServers servers) {

  TestSchema empty() throws SQLException {
    execute("DROP SCHEMA public CASCADE");
    execute("CREATE SCHEMA public");
    return this;
  }

  /// Empties tables that refuse to be emptied, much faster than making them anew.
  public void clear(String... tables) throws SQLException {
    var deletes = Stream.of(tables).map(table -> "; DELETE FROM " + table);
    execute(deletes.collect(Collectors.joining("", "SET session_replication_role = replica", "")));
  }

  /// Returns how many migrations were run.
  public int migrate() {
    var settings = TestLink.settings(servers.jdbcUrl());
    try (var link = new ConnectionPool(settings, new DiskSpace(), new SimpleMeterRegistry())) {
      return new Migrations(settings, link).migrate();
    }
  }

  /// Every relation, column, constraint, trigger and function, each as one line.
  List<String> content() throws SQLException {
    return texts(
        """
        SELECT concat_ws(' ', c.relkind, c.relname, a.attname,
                         format_type(a.atttypid, a.atttypmod), a.attnotnull)
          FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
         WHERE c.relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT concat_ws(' ', conname, pg_get_constraintdef(oid)) FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace
        UNION ALL
        SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
         WHERE c.relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
         WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal
        UNION ALL
        SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        ORDER BY 1
        """);
  }

  public List<String> texts(String query) throws SQLException {
    try (var connection = servers.connection();
        var rows = connection.createStatement().executeQuery(query)) {
      var texts = new ArrayList<String>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }

  public void execute(String sql) throws SQLException {
    try (var connection = servers.connection()) {
      connection.createStatement().execute(sql);
    }
  }
}
