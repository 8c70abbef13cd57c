package io.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.faults.KillCase.Victim;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Http;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.URI;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Two instances on the same servers. The keeper runs the embedded servers and restarts killed
/// ones; the other instance is killed where a trap is set.
final class Rig implements AutoCloseable {
  static final int PRICE = 5_000;
  static final String POOL = "matrix";
  private static final Path OUR_CLASSES = Folders.build().resolve("classes/java/test");
  private static final int SEATS = 1_000;

  /// The seats of `SEATS` that are reserved for the check of the recovery.
  private static final int SPARE_SEATS = 200;

  /// The keeper gives up a server that dies more often.
  private static final int KILLS_A_MINUTE = 5;

  private static final Map<String, String> SETTINGS =
      Map.of(
          "HOLDFAST_DEMO", "true",
          "HOLDFAST_OPERATOR_KEY", TestServers.KEY,
          "HOLDFAST_RATE_LIMIT", "off",
          "HOLDFAST_CHECKOUT_LEASE", "1s",
          "HOLDFAST_CHECKOUT_LOOK", "100ms");

  private final Path folder;
  private final Trap trap;
  private final AtomicInteger seats = new AtomicInteger(SPARE_SEATS);
  private final AtomicInteger looks = new AtomicInteger();
  private final Map<Victim, Deque<Long>> kills = new EnumMap<>(Victim.class);
  private final Map<String, Long> known = new HashMap<>();
  private final Thread hook = new Thread(this::end);
  private volatile HoldfastProcess keeper;
  private volatile HoldfastProcess watched;

  Rig(Path folder) {
    this.folder = folder;
    this.trap = new Trap(folder.resolve("trap"));
    this.keeper = startKeeper();
    this.watched = startWatched();
    Runtime.getRuntime().addShutdownHook(hook);
    watched.awaitReady();
    createPool();
  }

  private HoldfastProcess startKeeper() {
    return HoldfastProcess.startWith(OUR_CLASSES, folder.resolve("keeper"), SETTINGS);
  }

  /// Uses the servers of the keeper.
  private HoldfastProcess startWatched() {
    var run = keeper.awaitReady();
    var settings = new HashMap<>(SETTINGS);
    settings.put("REDIS_URI", run.get("redis").asText());
    settings.put("JDBC_URL", run.get("jdbc").asText());
    settings.put("HOLDFAST_TEST_TRAP", folder.resolve("trap").toString());
    return HoldfastProcess.startWith(OUR_CLASSES, folder.resolve("watched"), settings);
  }

  /// Restarts the processes that are not restarted by the keeper.
  void restart(Victim victim) {
    if (victim == Victim.ALL) {
      keeper.awaitExit();
      keeper = startKeeper();
    }
    if (victim == Victim.ALL || victim == Victim.SERVICE) {
      watched.awaitExit();
      watched = startWatched();
    }
  }

  private void createPool() {
    var items =
        IntStream.rangeClosed(1, SEATS)
            .mapToObj("{\"item\":\"A-%d\",\"priceCents\":5000}"::formatted)
            .collect(Collectors.joining(","));
    var body = "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":[%s]}".formatted(POOL, items);
    var made = keeperApi().post("/v1/pools", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
  }

  Api keeperApi() {
    return new Api(URI.create(keeper.awaitReady().get("http").asText()), TestServers.KEY);
  }

  Api watchedApi() {
    return new Api(URI.create(watched.awaitReady().get("http").asText()), TestServers.KEY);
  }

  /// The instances that are running.
  List<Api> apis() {
    var apis = new ArrayList<Api>();
    if (watched.isAlive() && watched.isReady()) {
      apis.add(watchedApi());
    }
    if (keeper.isAlive() && keeper.isReady()) {
      apis.add(keeperApi());
    }
    return apis;
  }

  Trap trap() {
    return trap;
  }

  Rows rows() {
    return new Rows(
        () -> {
          try {
            return DriverManager.getConnection(keeper.awaitReady().get("jdbc").asText());
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /// Whether no process is restarting and both instances are connected to their servers.
  void awaitCalm() {
    for (var api : List.of(keeperApi(), watchedApi())) {
      assertThat(Await.comesTrue(RetryingClient.PATIENCE, () -> isCalm(api)))
          .as("an instance is well again: %s", output())
          .isTrue();
    }
  }

  private boolean isCalm(Api api) {
    var seat = "A-" + (1 + looks.getAndIncrement() % SPARE_SEATS);
    var placed = api.place(POOL, Api.token(), seat, seat);
    return placed.statusCode() == 201
        && api.release(Hold.of(placed).id(), Api.token(), seat).statusCode() == 200
        && api.get("/v1/checkouts/none").statusCode() == 404
        && pids().stream().allMatch(pid -> ProcessHandle.of(pid).isPresent());
  }

  private List<Long> pids() {
    var run = keeper.awaitReady();
    return List.of(run.get("redisPid").asLong(), run.get("postgresPid").asLong());
  }

  String nextSeat() {
    return "A-" + seats.incrementAndGet();
  }

  /// The processes that a trap for this victim kills. Waits until they may be killed again.
  List<Long> targets(Victim victim) {
    var times = kills.computeIfAbsent(victim, _ -> new ArrayDeque<>());
    if ((victim == Victim.REDIS || victim == Victim.POSTGRES) && times.size() == KILLS_A_MINUTE) {
      var free = times.removeFirst() + Duration.ofSeconds(61).toNanos();
      Await.until(Duration.ofSeconds(65), () -> System.nanoTime() > free);
    }
    times.addLast(System.nanoTime());
    return switch (victim) {
      case SERVICE -> List.of(Trap.ONESELF);
      case REDIS -> List.of(pids().getFirst());
      case POSTGRES -> List.of(pids().getLast());
      case ALL -> List.of(keeper.pid(), Trap.ONESELF);
      case NOBODY -> List.of(Trap.STAND_STILL);
    };
  }

  /// The new findings of the audit, so that a case does not fail for an earlier one.
  String newViolations() {
    var found = new StringBuilder();
    for (var check : Http.json(keeperApi().get("/v1/audit/report")).get("checks")) {
      var id = check.get("id").asText();
      if (check.get("violations").asLong() > known.getOrDefault(id, 0L)) {
        found.append(id).append(": ").append(check.get("violations")).append("; ");
      }
    }
    return found.toString();
  }

  void forgive() {
    for (var check : Http.json(keeperApi().get("/v1/audit/report")).get("checks")) {
      known.put(check.get("id").asText(), check.get("violations").asLong());
    }
  }

  String output() {
    return "keeper:\n" + keeper.output() + "\nwatched:\n" + watched.output();
  }

  @Override
  public void close() {
    end();
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  /// Runs at the end and when the run is interrupted.
  private void end() {
    watched.close();
    keeper.close();
    HoldfastProcess.killServersOf(folder);
  }
}
