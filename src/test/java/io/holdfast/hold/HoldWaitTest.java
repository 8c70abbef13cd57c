package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Redis answers late during many calls: calls that were sent are answered, and calls that could
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

    var answers = atOnce(number -> place(pool, number));

    redis.delay(Duration.ZERO);
    assertThat(answers).extracting(HttpResponse::statusCode).contains(201, 503);
    for (var i = 0; i < answers.size(); i++) {
      if (answers.get(i).statusCode() != 201) {
        assertIsOverloaded(answers.get(i));
        var again = place(pool, i + 2);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(201);
        assertThat(Api.isReplay(again)).isFalse();
      }
    }
  }

  @Test
  void a_repeated_token_of_a_sale_is_answered_by_postgres_under_load() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "anna", "A-1");
    var token = Api.token();
    var sold = api.confirm(hold, token, "anna", "order-1");
    assertThat(sold.statusCode()).isEqualTo(200);
    var shedBefore = shed();
    redis.delay(LATE);

    var again = atOnce(_ -> api.confirm(hold, token, "anna", "order-1"));

    redis.delay(Duration.ZERO);
    assertThat(shed()).as("calls that were not sent").isGreaterThan(shedBefore);
    assertThat(again).allSatisfy(answer -> assertThat(answer.body()).isEqualTo(sold.body()));
  }

  @Test
  void a_lookup_that_was_not_sent_in_time_is_not_definite() {
    var pool = api.pool(1);
    api.hold(pool, "anna", "A-1");
    redis.delay(LATE);

    var looks = atOnce(number -> api.get("/v1/operations/none-" + number + "?pool=" + pool));

    redis.delay(Duration.ZERO);
    assertThat(looks).extracting(HttpResponse::statusCode).contains(503);
    assertThat(looks)
        .filteredOn(answer -> answer.statusCode() == 503)
        .allSatisfy(answer -> assertThat(answer.body()).contains("\"definite\":false"));
  }

  private static List<HttpResponse<String>> atOnce(IntFunction<HttpResponse<String>> call) {
    return IntStream.rangeClosed(2, CALLS)
        .mapToObj(
            number ->
                CompletableFuture.supplyAsync(() -> call.apply(number), Thread::startVirtualThread))
        .toList()
        .stream()
        .map(CompletableFuture::join)
        .toList();
  }

  private static double shed() {
    return service
        .context()
        .getBean(MeterRegistry.class)
        .get("holdfast.hold.shed")
        .counter()
        .count();
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
