package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Each caller has its own rate limit and sees what remains of it.
@ExtendWith(RealServers.class)
class RateLimitTest {
  private static final int RATE = 8;

  private static Service service;
  private static Keys keys;

  @BeforeAll
  static void start(TestServers servers, @TempDir Path data) {
    service = start(servers, data, "" + RATE);
    keys = new Keys(service.http());
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void a_caller_over_its_rate_limit_must_wait_and_is_served_later() {
    var made = keys.made("eager", "hold");

    var refused = floodUntilRefused(made.key());

    assertThat(Http.json(refused).path("code").asText()).isEqualTo("rate-limited");
    assertThat(Http.json(refused).path("definite").asText()).isEqualTo("true");
    assertThat(Http.json(refused).path("retryable").asText()).isEqualTo("true");
    assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(refused.headers().firstValue("RateLimit-Policy")).hasValue("\"default\";q=8;w=1");
    assertThat(refused.headers().firstValue("RateLimit")).hasValue("\"default\";r=0;t=1");
    Await.until(Duration.ofSeconds(3), () -> keys.hold(made.key()).statusCode() == 200);
  }

  @Test
  void every_response_shows_the_remaining_rate_limit() {
    var made = keys.made("careful", "hold");

    var allowed = keys.hold(made.key());
    var forbidden =
        Http.get(keys.door(), "/test/tiny/either", "Authorization", Keys.bearer(made.key()));

    for (var response : List.of(allowed, forbidden)) {
      assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"default\";q=8;w=1");
      assertThat(response.headers().firstValue("RateLimit").orElse(""))
          .matches("\"default\";r=[5-7];t=1");
    }
    assertThat(Http.get(keys.door(), "/health").headers().firstValue("RateLimit")).isEmpty();
  }

  @Test
  void keys_of_one_caller_share_a_limit_and_callers_do_not() {
    var made = List.of(keys.made("twice", "hold"), keys.made("twice", "hold"));
    var stranger = keys.made("stranger", "hold");

    Await.until(
        Duration.ofSeconds(10),
        () ->
            keys.hold(made.getFirst().key()).statusCode() == 429
                && keys.hold(made.getLast().key()).statusCode() == 429);

    assertThat(keys.hold(stranger.key()).statusCode()).isEqualTo(200);
  }

  @Test
  void a_limit_can_be_switched_off(TestServers servers, @TempDir Path data) {
    try (var unlimited = start(servers, data, "off")) {
      var there = new Keys(unlimited.http());

      var answers = IntStream.range(0, 100).mapToObj(_ -> there.hold(TestServers.KEY)).toList();

      assertThat(answers)
          .allMatch(answer -> answer.statusCode() == 200)
          .allMatch(answer -> answer.headers().firstValue("RateLimit").isEmpty());
    }
  }

  @Test
  void however_many_callers_there_are_memory_stays_bounded() {
    var limits = new RateLimits(new AccessSettings(Optional.empty(), false, 1));

    for (var i = 0; i < 25_000; i++) {
      limits.take(new Caller("caller-" + i, EnumSet.of(Scope.HOLD)));
    }

    assertThat(limits.size()).isBetween(1L, 10_000L);
  }

  private static HttpResponse<String> floodUntilRefused(String key) {
    return IntStream.range(0, 100 * RATE)
        .mapToObj(_ -> keys.hold(key))
        .filter(answer -> answer.statusCode() == 429)
        .findFirst()
        .orElseThrow();
  }

  private static Service start(TestServers servers, Path data, String limit) {
    var settings = new HashMap<>(servers.settings());
    settings.put("holdfast.data", data.toString());
    settings.put("holdfast.rate-limit", limit);
    return Service.start(settings);
  }
}
