package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What was measured and what was asked for, as Markdown.
final class Report {
  private final List<String> lines = new ArrayList<>();

  Report(Results results, List<String> comparison, List<Demand> demands) {
    lines.add("# Speed");
    lines.add("");
    lines.add(machine());
    lines.add("");
    turns(results);
    lines.add("");
    journal(results);
    lines.add("");
    withinReach(results);
    lines.addAll(comparison);
    lines.add("| asked for | figure | rounds | limit | |");
    lines.add("|---|---|---|---|---|");
    demands.forEach(demand -> lines.add(demand.line()));
  }

  /// The two modes side by side.
  static List<String> comparison(IntentPart.Compared compared) {
    var lines = new ArrayList<String>();
    lines.add(
        "| | with Redis a second | p99 ms | CPU µs | without a second | p99 ms | CPU µs |"
            + " times as fast | times the CPU without |");
    lines.add("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (var of : IntentPart.CASES) {
      var row = new Row(of, IntentPart.CONNECTIONS);
      var micros = compared.withRedis().median(row, Measured::micros);
      var without = compared.without().median(row, Measured::micros);
      lines.add(
          "| %s | %,.0f | %.1f | %.0f | %,.0f | %.1f | %.0f | %.1f | %.1f |"
              .formatted(
                  of.title(),
                  compared.withRedis().median(row, Measured::perSecond),
                  compared.withRedis().median(row, Measured::p99Millis),
                  micros,
                  compared.without().median(row, Measured::perSecond),
                  compared.without().median(row, Measured::p99Millis),
                  without,
                  Statistics.median(compared.ratios(of)),
                  without / micros));
    }
    lines.add("");
    return lines;
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
    return "%d processors for the service, Redis, Postgres and the driver together; Java %s on %s %s."
        .formatted(
            Machine.PROCESSORS,
            System.getProperty("java.version"),
            System.getProperty("os.name"),
            System.getProperty("os.arch"));
  }

  private void turns(Results results) {
    lines.add(
        "| | connections | per second | p50 ms | p99 ms | CPU µs: service | Redis | Postgres |"
            + " driver busy | others |");
    lines.add("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (var row : results.rows()) {
      lines.add(
          "| %s | %d | %,.0f | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f %% | %.0f %% |"
              .formatted(
                  row.of().title(),
                  row.connections(),
                  results.median(row, Measured::perSecond),
                  results.median(row, Measured::p50Millis),
                  results.median(row, Measured::p99Millis),
                  results.median(row, Measured::serviceMicros),
                  results.median(row, Measured::redisMicros),
                  results.median(row, Measured::postgresMicros),
                  results.median(row, turn -> 100 * turn.turn().driverShare()),
                  results.median(row, Measured::othersPercent)));
    }
  }

  /// No hold can be faster than one that does nearly nothing.
  private void withinReach(Results results) {
    for (var connections : Plan.CONNECTIONS) {
      if (results.rows().contains(new Row(Case.LEAST, connections))) {
        var reach = results.ratios(Case.LEAST, Case.BARE, connections, Measured::perSecond);
        var used = results.ratios(Case.HOLD, Case.LEAST, connections, Measured::perSecond);
        lines.add(
            "Over %d connections five commands of Redis alone come to %.2f (%s) of the bare endpoint, and a hold to %.2f (%s) of them."
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
