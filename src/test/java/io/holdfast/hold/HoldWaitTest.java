package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Redis answers late, and many call at once: those that were sent are served, and those that could
/// not be sent in time are refused.
@ExtendWith(RealServers.class)
class HoldWaitTest {
  private static final int CALLS = 200;
  private static final Duration LATE = Duration.ofMillis(1_500);

  @TempDir static Path folder;

  private static FaultProxy redis;
  private static Service service;
  private static Api api;

  @BeforeAll
  static void start(TestServers servers) {
    redis = FaultProxy.before(servers.redisUri());
    var settings =
        Map.<String, Object>of(
            "redis.uri", redis.insteadOf(servers.redisUri()),
            "redis.command-timeout", "10s",
            "holdfast.hold-wait", "100ms");
    service = Instances.start(servers, folder.resolve("data"), settings);
    api = Api.of(service);
  }

  @AfterAll
  static void end() {
    service.close();
    redis.close();
  }

  @Test
  @Requirement("AU-2")
  void a_call_that_was_not_sent_in_time_is_refused_definitely_and_had_no_effect() {
    var pool = api.pool(CALLS, "{\"maxHoldsPerRequester\":1000}");
    api.hold(pool, "anna", "A-1"); // so the pool is seeded
    redis.delay(LATE);

    var answers = placeAll(pool);

    redis.delay(Duration.ZERO);
    assertThat(answers.values()).extracting(HttpResponse::statusCode).contains(201);
    var refused =
        answers.entrySet().stream().filter(entry -> entry.getValue().statusCode() != 201).toList();
    assertThat(refused).isNotEmpty();
    refused.forEach(entry -> assertIsOverloaded(entry.getValue()));
    for (var entry : refused) {
      var again = place(pool, entry.getKey());
      assertThat(again.statusCode()).as(again.body()).isEqualTo(201);
      assertThat(Api.isReplay(again)).isFalse();
    }
  }

  private static Map<Integer, HttpResponse<String>> placeAll(String pool) {
    var calls =
        IntStream.rangeClosed(2, CALLS)
            .boxed()
            .collect(
                Collectors.toMap(
                    number -> number,
                    number ->
                        CompletableFuture.supplyAsync(
                            () -> place(pool, number), Thread::startVirtualThread)));
    return calls.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().join()));
  }

  private static HttpResponse<String> place(String pool, int number) {
    return api.place(pool, pool + "-" + number, "anna", "A-" + number);
  }

  private static void assertIsOverloaded(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(answer.body()).contains("\"code\":\"overloaded\"", "\"definite\":true");
    var seconds = answer.headers().firstValueAsLong("Retry-After").orElseThrow();
    assertThat(seconds).isBetween(1L, 30L);
  }
}
