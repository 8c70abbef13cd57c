package io.holdfast.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/// Replaces pgbench where it is not installed: one thread and one connection for each client. Its
/// time includes the opening of the connections, which is a small part of a turn.
record JdbcRival(Database database) implements Rival {
  private static final int DIGITS = 3;

  @Override
  public String name() {
    return "a loop of plain JDBC connections";
  }

  @Override
  public Turn run(RivalSale sale, long first, int salesAClient) {
    var latencies = new ConcurrentHistogram(DIGITS);
    var clients = new ArrayList<Callable<Void>>();
    for (int i = 0; i < CLIENTS; i++) {
      var from = first + (long) i * salesAClient;
      clients.add(() -> sell(sale, from, from + salesAClient, latencies));
    }
    var start = System.nanoTime();
    try (var threads = Executors.newFixedThreadPool(CLIENTS)) {
      for (var client : threads.invokeAll(clients)) {
        client.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    var time = Duration.ofNanos(System.nanoTime() - start);
    return Turn.of(latencies, time, latencies.getTotalCount(), time, 0);
  }

  private Void sell(RivalSale sale, long from, long until, Histogram latencies)
      throws SQLException {
    try (var connection = database.connect();
        var statement = connection.createStatement()) {
      statement.execute("SET ROLE " + ROLE);
      var statements = new ArrayList<PreparedStatement>();
      for (var text : sale.texts()) {
        statements.add(prepared(connection, text));
      }
      for (long seat = from; seat < until; seat++) {
        var since = System.nanoTime();
        for (var each : statements) {
          run(each, seat);
        }
        latencies.recordValue(System.nanoTime() - since);
      }
    }
    return null;
  }

  private static PreparedStatement prepared(Connection connection, String text)
      throws SQLException {
    return connection.prepareStatement(text.replace(":seat", "?"));
  }

  private static void run(PreparedStatement statement, long seat) throws SQLException {
    for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
      statement.setLong(i, seat);
    }
    statement.execute();
  }
}
