package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The figures and their limits as Markdown.
final class Report {
  private final List<String> lines = new ArrayList<>();

  /// @param more lines of parts that are no turns
  Report(Results results, List<String> more, List<Demand> demands) {
    lines.add("# Speed");
    lines.add("");
    lines.add(machine());
    lines.add("");
    turns(results);
    lines.add("");
    journal(results);
    lines.add("");
    withinReach(results);
    lines.addAll(more);
    lines.add("");
    lines.add("| asked for | figure | rounds | limit | |");
    lines.add("|---|---|---|---|---|");
    demands.forEach(demand -> lines.add(demand.line()));
  }

  void write(Path file) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void print() {
    System.out.println();
    lines.forEach(System.out::println);
  }

  private static String machine() {
    return "%d processors for the service, Redis, Postgres and the driver together; Redis is %s; Java %s on %s %s."
        .formatted(
            Machine.PROCESSORS,
            RedisBinary.given().describe(),
            System.getProperty("java.version"),
            System.getProperty("os.name"),
            System.getProperty("os.arch"));
  }

  private void turns(Results results) {
    lines.add(
        "| | connections | per second | p50 ms | p99 ms | CPU µs: service | Redis | its main thread"
            + " | Postgres | driver busy | others |");
    lines.add("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (var row : results.rows()) {
      lines.add(
          "| %s | %d | %,.0f | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f %% | %.0f %% |"
              .formatted(
                  row.of().title(),
                  row.connections(),
                  results.median(row, Measured::perSecond),
                  results.median(row, Measured::p50Millis),
                  results.median(row, Measured::p99Millis),
                  results.median(row, Measured::serviceMicros),
                  results.median(row, Measured::redisMicros),
                  results.median(row, Measured::redisMainMicros),
                  results.median(row, Measured::postgresMicros),
                  results.median(row, turn -> 100 * turn.turn().driverShare()),
                  results.median(row, Measured::othersPercent)));
    }
  }

  /// The speed with one script call for each request.
  private void withinReach(Results results) {
    for (var connections : Plan.CONNECTIONS) {
      if (results.rows().contains(new Row(Case.TEXTBOOK, connections))) {
        var reach = results.ratios(Case.TEXTBOOK, Case.BARE, connections, Measured::perSecond);
        var used = results.ratios(Case.HOLD, Case.TEXTBOOK, connections, Measured::perSecond);
        lines.add(
            "Over %d connections the textbook route comes to %.2f (%s) of the bare endpoint, and a hold to %.2f (%s) of it."
                .formatted(
                    connections,
                    Statistics.median(reach),
                    Statistics.spread(reach),
                    Statistics.median(used),
                    Statistics.spread(used)));
        lines.add("");
      }
    }
  }

  private void journal(Results results) {
    for (var connections : Plan.CONNECTIONS) {
      var row = new Row(Case.HOLD, connections);
      if (!results.rows().contains(row)) {
        continue;
      }
      lines.add(
          "After a turn of holds over %d connections, %,.0f lines of the journal waited for Postgres and were there %.1f s later; holds and their journal together: %,.0f a second."
              .formatted(
                  connections,
                  results.median(row, Measured::lag),
                  results.median(row, Measured::drainSeconds),
                  results.median(row, Measured::perSecondDrained)));
    }
  }
}
