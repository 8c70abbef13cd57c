package io.holdfast.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/// Runs pgbench with prepared statements.
record PgbenchRival(Path program, Database database) implements Rival {
  private static final Pattern SPEED = Pattern.compile("tps = ([0-9.]+)");
  private static final int LATENCY_MICROS = 2;
  private static final int DIGITS = 3;
  private static final String SEAT =
      """
      \\set n :n + 1
      \\set seat :first + :client_id * :share + :n
      """;

  @Override
  public String name() {
    return "pgbench";
  }

  @Override
  public Turn run(RivalSale sale, long first, int salesAClient) {
    try {
      var folder = Files.createTempDirectory("holdfast-pgbench");
      try {
        return run(folder, sale, first, salesAClient);
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Turn run(Path folder, RivalSale sale, long first, int salesAClient) throws IOException {
    Files.writeString(folder.resolve("sale.sql"), SEAT + String.join(";\n", sale.texts()) + ";\n");
    var builder =
        new ProcessBuilder(
                program.toString(),
                "--no-vacuum",
                "--protocol=prepared",
                "--client=" + CLIENTS,
                "--jobs=2",
                "--transactions=" + salesAClient,
                "--define=n=-1",
                "--define=first=" + first,
                "--define=share=" + salesAClient,
                "--log",
                "--log-prefix=latencies",
                "--file=sale.sql")
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.environment().putAll(database.environment());
    builder.environment().put("PGOPTIONS", "-c role=" + ROLE);
    var start = System.nanoTime();
    var said = said(builder.start());
    return turn(said, latencies(folder), Duration.ofNanos(System.nanoTime() - start));
  }

  private static String said(Process process) throws IOException {
    var said = new String(process.getInputStream().readAllBytes());
    try {
      if (process.waitFor() != 0) {
        throw new IllegalStateException("pgbench failed: " + said);
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return said;
  }

  private static Turn turn(String said, Histogram latencies, Duration whole) {
    var speed = SPEED.matcher(said);
    if (!speed.find()) {
      throw new IllegalStateException("pgbench does not tell its speed: " + said);
    }
    var count = latencies.getTotalCount();
    var time = Duration.ofNanos((long) (count * 1e9 / Double.parseDouble(speed.group(1))));
    return Turn.of(latencies, time, count, whole, 0);
  }

  private static Histogram latencies(Path folder) throws IOException {
    var latencies = new Histogram(DIGITS);
    try (var files = Files.newDirectoryStream(folder, "latencies.*")) {
      for (var file : files) {
        for (var line : Files.readAllLines(file)) {
          latencies.recordValue(Long.parseLong(line.split(" ")[LATENCY_MICROS]) * 1_000);
        }
      }
    }
    return latencies;
  }

  private static void delete(Path folder) throws IOException {
    List<Path> all;
    try (var files = Files.walk(folder)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (var file : all) {
      Files.delete(file);
    }
  }
}
