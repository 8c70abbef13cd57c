package io.holdfast.web.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The metrics are open, except for the names of pools: those need the key.
@ExtendWith(RealServers.class)
class MetricsKeyTest {
  private static final String KEY = "key-of-the-scraper-in-tests";
  private static final String EPOCH = "holdfast_fence_epoch{pool=\"%s\"}";

  private static Service keyed;
  private static Service keyless;
  private static String pool;

  @BeforeAll
  static void start(TestServers servers, Service other) {
    keyless = other;
    keyed = RealServers.start(servers, Map.of("holdfast.metrics-key", KEY));
    var api = Api.of(keyed);
    pool = api.pool(2);
    api.hold(pool, "ann", "A-1");
    new Api(keyless.http(), api.key()).hold(pool, "ann", "A-2");
    Await.until(
        Duration.ofSeconds(20),
        () -> scrape(keyed, "Bearer " + KEY).body().contains(EPOCH.formatted(pool)));
  }

  @AfterAll
  static void stop() {
    keyed.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bearer " + KEY, "bearer " + KEY})
  void the_key_shows_everything(String header) {
    var metrics = scrape(keyed, header);

    assertThat(metrics.statusCode()).isEqualTo(200);
    assertThat(metrics.body()).contains(EPOCH.formatted(pool), "holdfast_link_up");
    assertThat(metrics.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("text/plain")
        .contains("version=0.0.4");
  }

  @Test
  void without_the_key_no_pool_is_named_and_all_else_is_shown() {
    var metrics = Http.get(keyed.http(), "/prometheus");

    assertThat(metrics.statusCode()).isEqualTo(200);
    assertThat(metrics.body())
        .contains("holdfast_link_up{link=\"redis\"} 1.0", "holdfast_holds_total", "jvm_memory")
        .contains("holdfast_hold_duration_seconds_bucket")
        .doesNotContain(pool, "pool=\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer key-of-the-scraper-in-test",
        "Bearer key-of-the-scraper-in-testsx",
        "Bearer " + TestServers.KEY,
        "Basic " + KEY,
        KEY,
        "Bearer"
      })
  void a_wrong_key_is_refused(String header) {
    var refused = scrape(keyed, header);

    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(Api.code(refused)).isEqualTo("unauthenticated");
    assertThat(refused.body()).doesNotContain(KEY);
    assertThat(refused.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bearer " + KEY, "Bearer " + TestServers.KEY, "Bearer "})
  void where_no_key_is_configured_no_pool_is_named_to_anybody(String header) {
    Await.until(Duration.ofSeconds(20), () -> knowsThePool(keyless));

    var metrics = scrape(keyless, header);

    assertThat(metrics.statusCode()).isEqualTo(200);
    assertThat(metrics.body()).contains("holdfast_link_up").doesNotContain(pool, "pool=\"");
  }

  /// Else there would be nothing to hide.
  private static boolean knowsThePool(Service service) {
    return service
        .context()
        .getBean(MeterRegistry.class)
        .find("holdfast.fence.epoch")
        .tag("pool", pool)
        .gauges()
        .stream()
        .findAny()
        .isPresent();
  }

  private static HttpResponse<String> scrape(Service service, String authorization) {
    return Http.get(service.http(), "/prometheus", "Authorization", authorization);
  }
}
