package io.holdfast.onsale;

import io.holdfast.testing.Api;
import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Rows;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// `./gradlew onsale`: runs a plan against the installed program and its own servers, prints what
/// came of it, and fails if a limit was missed.
public final class OnSale {
  private static final String KEY = "hf_demo_key";
  private static final String SEED = "seed=";

  /// Time for the pool to open before the first visitor comes.
  private static final Duration OPENING = Duration.ofMillis(200);

  private OnSale() {}

  /// How a visit came out.
  record Ended(Visitor visitor, Visit.End end, int holds) {}

  /// @param arguments `seed=<number>`; 1 without it
  public static void main(String[] arguments) {
    var report = full(seed(arguments));
    System.out.println(report);
    System.exit(report.misses().isEmpty() ? 0 : 1);
  }

  /// Sells 2,000 seats to 20,000 people, by the installed program on servers of its own.
  public static OnSaleReport full(long seed) {
    var plan = OnSalePlan.of(seed, OnSalePlan.Size.FULL);
    try {
      return full(plan);
    } catch (IOException | ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static OnSaleReport full(OnSalePlan plan)
      throws IOException, InterruptedException, ExecutionException {
    var folder = Files.createDirectories(Folders.build().resolve("onsale"));
    var data = Files.createTempDirectory(folder, "run-").resolve("data");
    var settings = Map.of("HOLDFAST_RATE_LIMIT", "off", "JAVA_OPTS", "");
    try (var service = HoldfastProcess.start(data, settings)) {
      var run = service.awaitReady();
      var api = new Api(URI.create(run.get("http").asText()), KEY);
      var jdbc = run.get("jdbc").asText();
      return run(plan, api, new Rows(() -> connection(jdbc)));
    }
  }

  private static long seed(String[] arguments) {
    if (arguments.length == 0) {
      return 1;
    }
    if (arguments.length > 1 || !arguments[0].startsWith(SEED)) {
      throw new IllegalArgumentException("say seed=<number>, or nothing");
    }
    return Long.parseLong(arguments[0].substring(SEED.length()));
  }

  private static Connection connection(String jdbc) {
    try {
      return DriverManager.getConnection(jdbc);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Runs all visits of the plan, each in a thread of its own, and reads the records behind them.
  static OnSaleReport run(OnSalePlan plan, Api api, Rows rows)
      throws InterruptedException, ExecutionException {
    var client = OnSaleClient.open(api, plan.size());
    var opening = Instant.now().plus(OPENING);
    var visits = new ArrayList<Future<Ended>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var visitor : plan.visitors()) {
        var visit = new Visit(visitor, plan.size(), client, opening);
        visits.add(threads.submit(() -> ended(visit, opening)));
      }
    }
    var took = Duration.between(opening, Instant.now());
    drain(api, client.pool());
    return OnSaleReport.of(plan, took, results(visits), client, api, rows);
  }

  private static Ended ended(Visit visit, Instant opening) throws InterruptedException {
    var arrival = Duration.between(Instant.now(), opening.plus(visit.visitor().arrival()));
    if (arrival.isPositive()) {
      Thread.sleep(arrival);
    }
    return new Ended(visit.visitor(), visit.run(), visit.holds());
  }

  private static List<Ended> results(List<Future<Ended>> visits)
      throws InterruptedException, ExecutionException {
    var results = new ArrayList<Ended>();
    for (var visit : visits) {
      results.add(visit.get());
    }
    return results;
  }

  /// The list of holds is read from Postgres, and brings the journal there first.
  private static void drain(Api api, String pool) {
    var page = api.get("/v1/pools/" + pool + "/holds");
    if (page.statusCode() != 200) {
      throw new IllegalStateException("the journal could not be drained: " + page.body());
    }
  }
}
