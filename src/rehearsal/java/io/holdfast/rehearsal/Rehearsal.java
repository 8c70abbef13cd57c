package io.holdfast.rehearsal;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Starts the installed program once and sends it some first requests. The JVM writes down which
/// classes that took, as an AOT cache, and later starts take less than half the time. The build
/// runs it after `installDist`; a program without the cache starts all the same.
final class Rehearsal {
  private static final Duration START_MAX = Duration.ofSeconds(120);
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration PAUSE_AFTER_A_REFUSAL = Duration.ofMillis(500);
  private static final int ROUNDS = 10;
  private static final int TRIES_MAX = 20;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path data;
  private final Process process;

  private Rehearsal(Path data, Process process) {
    this.data = data;
    this.process = process;
  }

  /// @param arguments the folder of the installed program, a folder for embedded servers, and a
  ///   folder for data and log, which is emptied first
  public static void main(String[] arguments) throws IOException, InterruptedException {
    var installation = Path.of(arguments[0]);
    var folder = Path.of(arguments[2]);
    delete(folder);
    var data = Files.createDirectories(folder).resolve("data");
    var builder =
        new ProcessBuilder(installation.resolve("bin/holdfast").toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("rehearsal.log").toFile());
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.matches("(HOLDFAST|REDIS|JDBC|JAVA)_.*")); // those of the caller
    builder.environment().putAll(environment(installation, Path.of(arguments[1]), data));
    try {
      new Rehearsal(data, builder.start()).run();
    } catch (IOException e) {
      System.err.printf(
          "The rehearsal of a start failed (%s), see %s; starts will be slower.%n",
          e.getMessage(), folder.resolve("rehearsal.log"));
    }
  }

  private static Map<String, String> environment(Path installation, Path binaries, Path data) {
    return Map.of(
        "HOLDFAST_PORT",
        "0",
        "HOLDFAST_DATA",
        data.toString(),
        "HOLDFAST_BINARIES",
        binaries.toString(),
        "JAVA_HOME",
        System.getProperty("java.home"),
        "JAVA_OPTS",
        "'-XX:AOTCacheOutput=%s'".formatted(installation.resolve("lib/holdfast.aot")));
  }

  private void run() throws IOException, InterruptedException {
    try {
      var http = awaitStart();
      for (var round = 1; round <= ROUNDS; round++) {
        play(http, round);
      }
    } finally {
      process.destroy(); // the cache is written at the end of the process
      process.waitFor(START_MAX.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private String awaitStart() throws IOException, InterruptedException {
    var runFile = data.resolve("run.json");
    var deadline = System.nanoTime() + START_MAX.toNanos();
    while (Files.notExists(runFile)) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new IOException("the service did not start");
      }
      Thread.sleep(PAUSE);
    }
    return field("http", Files.readString(runFile));
  }

  /// One hold, which ends in a release or in a sale by turns.
  private void play(String http, int round) throws IOException, InterruptedException {
    send(HttpRequest.newBuilder(URI.create(http + "/v1/pools")));
    var hold =
        post(
            http + "/v1/pools/arena/holds",
            "{\"requester\":\"guest\",\"items\":[\"A-%d\"]}".formatted(round));
    var path = http + "/v1/holds/" + field("holdId", hold);
    if (round % 2 == 0) {
      post(path + "/release", "{\"requester\":\"guest\"}");
    } else {
      post(
          path + "/confirm",
          "{\"requester\":\"guest\",\"fence\":%s,\"orderId\":\"order-%d\"}"
              .formatted(field("fence", hold), round));
    }
  }

  private String post(String url, String body) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(url))
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /// A cold service on a busy machine may answer 503. The request is repeated with the same token.
  private String send(HttpRequest.Builder builder) throws IOException, InterruptedException {
    var request = builder.header("Authorization", "Bearer hf_demo_key").build();
    for (var tries = 1; ; tries++) {
      var response = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (List.of(200, 201).contains(response.statusCode())) {
        return response.body();
      }
      if (tries == TRIES_MAX) {
        throw new IOException(request + " was answered " + response.body());
      }
      Thread.sleep(PAUSE_AFTER_A_REFUSAL);
    }
  }

  private static String field(String name, String json) throws IOException {
    var found = Pattern.compile("\"%s\":\"?([^\",}]+)".formatted(name)).matcher(json);
    if (!found.find()) {
      throw new IOException("there is no %s in %s".formatted(name, json));
    }
    return found.group(1);
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (var file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
