package io.holdfast.faults;

import io.holdfast.faults.Trial.Verdict;
import io.holdfast.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/// `./gradlew faults`: runs all cases, prints a line for each and a table, and fails if one failed.
/// Two rigs share the cases, because each spends most of its time waiting.
final class KillMatrix {
  private static final int RIGS = 2;

  private final List<KillCase> cases;
  private final AtomicInteger count = new AtomicInteger();

  private KillMatrix(List<KillCase> cases) {
    this.cases = cases;
  }

  /// @param wanted words that a case has to contain, such as `capture` and `REDIS`
  public static void main(String[] wanted) throws InterruptedException, ExecutionException {
    var cases =
        KillCase.all().stream()
            .filter(each -> List.of(wanted).stream().allMatch(each.toString()::contains))
            .toList();
    var since = System.nanoTime();
    var verdicts = new KillMatrix(cases).run();
    System.out.println("\n" + MatrixTable.of(verdicts));
    var failed = verdicts.stream().filter(verdict -> !verdict.isGood()).toList();
    failed.forEach(System.out::println);
    System.out.printf(
        "%d cases, %d failed, in %d s%n",
        verdicts.size(), failed.size(), Duration.ofNanos(System.nanoTime() - since).toSeconds());
    System.exit(failed.isEmpty() ? 0 : 1);
  }

  private List<Verdict> run() throws InterruptedException, ExecutionException {
    try (var rigs = Executors.newFixedThreadPool(RIGS)) {
      var parts = IntStream.range(0, RIGS).mapToObj(rig -> rigs.submit(() -> part(rig))).toList();
      var verdicts = new ArrayList<Verdict>();
      for (var part : parts) {
        verdicts.addAll(part.get());
      }
      verdicts.sort(Comparator.comparing(verdict -> cases.indexOf(verdict.kill())));
      return verdicts;
    }
  }

  /// Each rig takes every second case, so that victims alternate on both.
  private List<Verdict> part(int number) throws IOException {
    var verdicts = new ArrayList<Verdict>();
    var folder = Folders.build().resolve("faults/rig-" + number);
    delete(folder);
    try (var rig = new Rig(Files.createDirectories(folder))) {
      for (var i = 0; i < cases.size(); i++) {
        if (i % RIGS == number) {
          var verdict = new Trial(rig, cases.get(i)).run();
          System.out.printf("%3d/%d  %s%n", count.incrementAndGet(), cases.size(), verdict);
          verdicts.add(verdict);
        }
      }
    }
    return verdicts;
  }

  /// The folder keeps the logs of the last run.
  private static void delete(Path folder) throws IOException {
    if (Files.notExists(folder)) {
      return;
    }
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
