package io.holdfast.testing;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.flywaydb.core.Flyway;

/// A database that is migrated once in this process. Test classes use copies of it.
///
/// @param server the address of another database of the same server that always exists
record TemplateDatabase(String server, String name) implements AutoCloseable {

  private static final AtomicInteger COUNTER = new AtomicInteger();

  static TemplateDatabase migrated(String server) {
    var name = "template_%d_%d".formatted(ProcessHandle.current().pid(), COUNTER.incrementAndGet());
    var template = new TemplateDatabase(server, name);
    template.execute("DROP DATABASE IF EXISTS " + template.name);
    template.execute("CREATE DATABASE " + template.name);
    Flyway.configure()
        .dataSource(template.addressOf(template.name), null, null)
        .locations("classpath:db-migrations")
        .load()
        .migrate();
    return template;
  }

  /// Returns the address of the copy.
  String copyTo(String database) {
    execute("CREATE DATABASE %s TEMPLATE %s".formatted(database, name));
    return addressOf(database);
  }

  void drop(String database) {
    execute("DROP DATABASE %s WITH (FORCE)".formatted(database));
  }

  @Override
  public void close() {
    drop(name);
  }

  private String addressOf(String database) {
    return server.replaceFirst("^(jdbc:postgresql://[^/]+/)[^?]*", "$1" + database);
  }

  private void execute(String sql) {
    try (var connection = DriverManager.getConnection(server);
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
