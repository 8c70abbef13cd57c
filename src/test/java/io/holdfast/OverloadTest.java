package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.load.Answer;
import io.holdfast.load.HoldTexts;
import io.holdfast.load.LoadCount;
import io.holdfast.load.LoadDriver;
import io.holdfast.load.LoadRun;
import io.holdfast.load.Numbered;
import io.holdfast.load.Pace;
import io.holdfast.load.Seats;
import io.holdfast.testing.Await;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Http;
import io.holdfast.testing.Requirement;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// More callers make the service slower. They do not make it lose answers or throughput.
@Tag("slow")
class OverloadTest {
  private static final String KEY = "hf_test_0123456789abcdef0123456789abcdef";
  private static final String POOL = HoldTexts.pool(0);
  private static final int ITEMS = 99_000;
  private static final char WHO = 'u';
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration WARM_UP_MAX = Duration.ofSeconds(15);
  private static final long WARM_UP_HOLDS = 8_000;
  private static final int CONNECTIONS = 512;

  /// The two loads take turns, so that what else the machine does meanwhile slows down both.
  private static final int TURNS = 2;

  private static final Duration TURN = Duration.ofMillis(2_500);

  /// Before what is counted of a turn: its connections are new.
  private static final Duration RUN_IN = Duration.ofMillis(750);

  private static final double GOODPUT_MIN = 0.7;

  @TempDir Path folder;

  private final AtomicLong next = new AtomicLong();

  @Test
  @Requirement("AU-1")
  void twice_the_callers_get_definite_answers_and_the_throughput_stays() {
    try (var process = start()) {
      var http = URI.create(process.awaitReady().get("http").asText());
      makePool(http);
      load(http, CONNECTIONS / 8, WARM_UP_MAX, WARM_UP_HOLDS);

      var some = 0.0;
      var twice = 0.0;
      for (var turn = 0; turn < TURNS; turn++) {
        some += goodPerSecond(load(http, CONNECTIONS, TURN, free()));
        twice += goodPerSecond(load(http, 2 * CONNECTIONS, TURN, free()));
      }

      assertThat(twice / some)
          .as("goodput of %d connections by that of %d", 2 * CONNECTIONS, CONNECTIONS)
          .isGreaterThanOrEqualTo(GOODPUT_MIN);
    }
  }

  private HoldfastProcess start() {
    return HoldfastProcess.start(
        folder.resolve("data"), Map.of("HOLDFAST_OPERATOR_KEY", KEY, "HOLDFAST_RATE_LIMIT", "off"));
  }

  private static void makePool(URI http) {
    var headers =
        List.of("Authorization", "Bearer " + KEY, "Idempotency-Key", "make").toArray(String[]::new);
    var made = Http.post(http, "/v1/pools", HoldTexts.newPool(POOL, ITEMS), headers);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    Await.until(PATIENCE, () -> firstHold(http) == 201);
  }

  /// A pool is seeded when it is first asked for something.
  private static int firstHold(URI http) {
    return Http.post(
            http,
            "/v1/pools/" + POOL + "/holds",
            HoldTexts.body("first", HoldTexts.item(ITEMS - 1)),
            "Authorization",
            "Bearer " + KEY,
            "Idempotency-Key",
            "first")
        .statusCode();
  }

  private LoadCount load(URI http, int connections, Duration time, long holdsMax) {
    var count = new LoadCount(RUN_IN, RUN_IN.plus(time));
    var holds =
        new Numbered(HoldTexts.hold(KEY, WHO), next::getAndIncrement, Seats.inOrder(ITEMS - 1));
    LoadDriver.run(
        new LoadRun(
            new InetSocketAddress("127.0.0.1", http.getPort()),
            holds,
            connections,
            Pace.closed(RUN_IN.plus(time)),
            holdsMax),
        count);
    return count;
  }

  private long free() {
    return ITEMS - 1 - next.get();
  }

  private static double goodPerSecond(LoadCount count) {
    assertThat(count.unknown()).as("unknown answers: %s", count).isZero();
    assertThat(count.count(Answer.BROKEN)).as("connection errors: %s", count).isZero();
    return count.goodPerSecond();
  }
}
