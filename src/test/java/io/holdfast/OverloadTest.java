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
import java.util.ArrayList;
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
  private static final int ITEMS = 40_000;

  /// Before each load there are pools for this many more holds, so that a fast machine has work for
  /// all of its time.
  private static final long FREE_MIN = 2 * ITEMS;

  private static final char WHO = 'u';
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration WARM_UP_MAX = Duration.ofSeconds(15);
  private static final long WARM_UP_HOLDS = 8_000;
  private static final int CONNECTIONS = 512;

  /// The two loads take turns in the order ABBA, so that what else the machine does meanwhile slows
  /// down both. The median ignores the pairs of which it has slowed down one side.
  private static final int PAIRS = 5;

  private static final Duration TURN = Duration.ofMillis(800);

  /// Before what is counted of a turn: its connections are new.
  private static final Duration RUN_IN = Duration.ofMillis(400);

  private static final Duration OPEN_LOOP = Duration.ofSeconds(2);

  private static final double GOODPUT_MIN = 0.7;

  @TempDir Path folder;

  private final AtomicLong next = new AtomicLong();
  private int pools;

  @Test
  @Requirement("AU-1")
  void twice_the_callers_get_definite_answers_and_the_throughput_stays() {
    try (var process = start()) {
      var http = URI.create(process.awaitReady().get("http").asText());
      makePools(http, WARM_UP_HOLDS);
      load(http, CONNECTIONS / 8, WARM_UP_MAX, WARM_UP_HOLDS);

      var ratios = new ArrayList<Double>();
      var capacity = 0.0;
      for (var pair = 0; pair < PAIRS; pair++) {
        var isTwiceFirst = pair % 2 == 1;
        var first = turn(http, isTwiceFirst ? 2 * CONNECTIONS : CONNECTIONS);
        var second = turn(http, isTwiceFirst ? CONNECTIONS : 2 * CONNECTIONS);
        ratios.add(isTwiceFirst ? first / second : second / first);
        capacity = Math.max(capacity, Math.max(first, second));
      }

      assertThat(median(ratios))
          .as("goodput of %d connections by that of %d: %s", 2 * CONNECTIONS, CONNECTIONS, ratios)
          .isGreaterThanOrEqualTo(GOODPUT_MIN);
      var twiceCapacity = 2 * capacity;
      makePools(http, (long) (twiceCapacity * OPEN_LOOP.toSeconds()));
      assertDefinite(openLoop(http, twiceCapacity));
    }
  }

  private static double median(List<Double> ratios) {
    return ratios.stream().sorted().toList().get(ratios.size() / 2);
  }

  private double turn(URI http, int connections) {
    makePools(http, FREE_MIN);
    var count = load(http, connections, TURN, free());
    assertDefinite(count);
    assertThat(count.count(Answer.GOOD)).as("%s", count).isPositive();
    return count.goodPerSecond();
  }

  private HoldfastProcess start() {
    return HoldfastProcess.start(
        folder.resolve("data"), Map.of("HOLDFAST_OPERATOR_KEY", KEY, "HOLDFAST_RATE_LIMIT", "off"));
  }

  private void makePools(URI http, long freeMin) {
    while (free() < freeMin) {
      makePool(http, HoldTexts.pool(pools));
      pools++;
    }
  }

  private static void makePool(URI http, String pool) {
    var headers =
        List.of("Authorization", "Bearer " + KEY, "Idempotency-Key", pool).toArray(String[]::new);
    var made = Http.post(http, "/v1/pools", HoldTexts.newPool(pool, ITEMS), headers);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    Await.until(PATIENCE, () -> firstHold(http, pool) == 201);
  }

  /// A pool is seeded when it is first asked for something.
  private static int firstHold(URI http, String pool) {
    return Http.post(
            http,
            "/v1/pools/" + pool + "/holds",
            HoldTexts.body("first", HoldTexts.item(ITEMS - 1)),
            "Authorization",
            "Bearer " + KEY,
            "Idempotency-Key",
            "first")
        .statusCode();
  }

  private LoadCount load(URI http, int connections, Duration time, long holdsMax) {
    return load(http, connections, Pace.closed(RUN_IN.plus(time)), holdsMax);
  }

  /// Requests are due whether or not the earlier ones are answered.
  private LoadCount openLoop(URI http, double perSecond) {
    var phases = List.of(new Pace.Phase(perSecond, OPEN_LOOP));
    return load(http, 2 * CONNECTIONS, Pace.open(phases), free());
  }

  private LoadCount load(URI http, int connections, Pace pace, long holdsMax) {
    var count = new LoadCount(RUN_IN, pace.end());
    var holds =
        new Numbered(HoldTexts.hold(KEY, WHO), next::getAndIncrement, Seats.inOrder(ITEMS - 1));
    LoadDriver.run(
        new LoadRun(
            new InetSocketAddress("127.0.0.1", http.getPort()), holds, connections, pace, holdsMax),
        count);
    return count;
  }

  private long free() {
    return pools * (ITEMS - 1L) - next.get();
  }

  private static void assertDefinite(LoadCount count) {
    assertThat(count.unknown()).as("unknown answers: %s", count).isZero();
    assertThat(count.count(Answer.BROKEN)).as("connection errors: %s", count).isZero();
  }
}
