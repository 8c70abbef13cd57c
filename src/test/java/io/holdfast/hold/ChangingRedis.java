package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RedisServer;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/// One service over its own Redis servers, which lose their data, restart and fail over.
class ChangingRedis {
  static final int HOLDS_AN_EPOCH = 3;

  @TempDir static Path folder;

  static RedisServer first;
  static FaultProxy wire;
  static Service service;
  static Api api;
  static Rows rows;
  static String steady;

  @BeforeAll
  static void start(TestServers servers) {
    first = RedisServer.forgetful(folder.resolve("first"));
    wire = FaultProxy.before(first.uri());
    service =
        Instances.start(
            servers, folder.resolve("data"), Map.of("redis.uri", wire.insteadOf(first.uri())));
    api = Api.of(service);
    rows = Rows.of(servers);
    steady = api.pool(1);
  }

  @AfterAll
  static void end() {
    service.close();
    wire.close();
    first.close();
  }

  static HttpResponse<String> anyPool() {
    return api.get("/v1/pools/" + steady);
  }

  /// Places holds of distinct items in each epoch, and retries until they succeed.
  static List<Long> grants(String pool, int life) {
    return IntStream.rangeClosed(1, HOLDS_AN_EPOCH)
        .mapToObj(
            number -> {
              var token = Api.token();
              var item = "A-" + (life * HOLDS_AN_EPOCH + number);
              var placed = decided(() -> api.place(pool, token, "u" + item, item));
              assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
              return Hold.of(placed).fence();
            })
        .toList();
  }

  static boolean isTold(String pool, String why) {
    return api.place(pool, Api.token(), "anna", "A-20").body().contains(why);
  }

  static List<Long> epochs(List<Long> fences) {
    return fences.stream().map(fence -> fence >> 32).distinct().toList();
  }

  static String counts(String pool) {
    return Http.json(api.get("/v1/pools/" + pool)).get("counts").toString();
  }
}
