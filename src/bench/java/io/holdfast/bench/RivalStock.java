package io.holdfast.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A separate database on the same server with the same tables, triggers and roles and with holds
/// to sell. No drain, relay or reconciliation runs there.
final class RivalStock {
  private static final Path MIGRATIONS =
      Path.of(System.getProperty("holdfast.test.project", "")).resolve("db-migrations");

  private final Database database;
  private final Rival rival;
  private long next;

  private RivalStock(Database database) {
    this.database = database;
    this.rival = Rival.of(database);
  }

  static RivalStock beside(Database service, long count) {
    service.run("CREATE DATABASE rival");
    var database = service.named("rival");
    migrations().forEach(database::run);
    database.run(RivalSale.stock(count), "VACUUM ANALYZE");
    return new RivalStock(database);
  }

  String rival() {
    return rival.name();
  }

  /// Fails if a turn did not sell all its holds.
  Turn sell(RivalSale sale, int salesAClient) {
    var turn = rival.run(sale, next, salesAClient);
    next += (long) salesAClient * Rival.CLIENTS;
    var sold = database.number("SELECT count(*) FROM item WHERE status = 'SOLD'");
    var whole =
        database.number(
            "SELECT count(*) FROM commitment JOIN verification USING (pool, hold_id) JOIN hold"
                + " USING (pool, hold_id) WHERE state = 'CONFIRMED'");
    if (sold != next || whole != next) {
      throw new IllegalStateException(
          "%d items are sold and %d sales are whole instead of %d".formatted(sold, whole, next));
    }
    return turn;
  }

  private static List<String> migrations() {
    try (var files = Files.list(MIGRATIONS)) {
      return files.sorted().map(RivalStock::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
