package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Http;
import io.holdfast.testing.Requirement;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class KillNineTest {
  private static final int WRITES_BEFORE_A_KILL = 30;
  private static final int WRITERS = 4;

  @TempDir Path folder;

  private final Set<Long> acknowledged = new ConcurrentSkipListSet<>();
  private final AtomicLong next = new AtomicLong();

  @Test
  @Requirement("BR-L-3")
  void a_service_that_is_killed_while_it_writes_loses_no_committed_row() throws Exception {
    assertNothingIsLostBy(2);
  }

  @Test
  @Tag("proof")
  @Requirement("BR-L-3")
  void a_service_that_is_killed_twenty_times_loses_no_committed_row() throws Exception {
    assertNothingIsLostBy(20);
  }

  /// Every third time, the first included, the servers are killed as well, as by a power cut.
  private void assertNothingIsLostBy(int kills) throws Exception {
    for (var kill = 0; kill < kills; kill++) {
      try (var process = start()) {
        var run = process.awaitReady();
        writeUntilKilled(process, URI.create(run.get("http").asText()));
        if (kill % 3 == 0) {
          killNine(run.get("postgresPid").asLong());
          killNine(run.get("redisPid").asLong());
        }
      }
    }

    try (var process = start()) {
      var run = process.awaitReady();

      assertThat(rows(run.get("jdbc").asText())).containsAll(acknowledged);
      assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(kills * WRITES_BEFORE_A_KILL);
    }
    assertThat(HoldfastProcess.processesOf(folder)).isEmpty();
  }

  private HoldfastProcess start() {
    return HoldfastProcess.startWith(
        Folders.build().resolve("classes/java/test"), folder.resolve("data"), Map.of());
  }

  private void writeUntilKilled(HoldfastProcess process, URI http) throws InterruptedException {
    var enough = new CountDownLatch(WRITES_BEFORE_A_KILL);
    for (var writer = 0; writer < WRITERS; writer++) {
      Thread.startVirtualThread(() -> write(http, enough));
    }
    assertThat(enough.await(60, TimeUnit.SECONDS)).as(process.output()).isTrue();
    process.kill();
  }

  private void write(URI http, CountDownLatch enough) {
    try {
      while (true) {
        var id = next.incrementAndGet();
        if (Http.post(http, "/test/rows/" + id, "").statusCode() == 200) {
          acknowledged.add(id);
          enough.countDown();
        }
      }
    } catch (UncheckedIOException e) {
      // The service was killed, as it should be.
    }
  }

  private static void killNine(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  private static Set<Long> rows(String jdbcUrl) throws SQLException {
    try (var connection = DriverManager.getConnection(jdbcUrl);
        var rows = connection.createStatement().executeQuery("SELECT epoch FROM pool")) {
      var found = new TreeSet<Long>();
      while (rows.next()) {
        found.add(rows.getLong(1));
      }
      return found;
    }
  }
}
