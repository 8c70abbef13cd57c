package io.holdfast.seatmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.micronaut.runtime.graceful.GracefulShutdownManager;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Streams are bounded in number, in duration, and in memory for clients that do not read.
@ExtendWith(RealServers.class)
class StreamEndTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Test
  void a_stop_ends_the_streams_instead_of_waiting_for_them(TestServers servers) throws Exception {
    try (var service = RealServers.start(servers, Map.of())) {
      var api = Api.of(service);
      var listener = Listening.to(api, api.pool(1));

      var stop = service.context().getBean(GracefulShutdownManager.class).shutdownGracefully();

      stop.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      Await.until(PATIENCE, listener::isOver);
    }
  }

  @Test
  void listeners_beyond_the_limit_are_refused_until_one_leaves(TestServers servers) {
    try (var service = RealServers.start(servers, Map.of("holdfast.live-listeners", 2))) {
      var api = Api.of(service);
      var pool = api.pool(1);
      var one = Listening.to(api, pool);
      var other = Listening.to(api, pool);

      var refused = api.get("/v1/pools/" + pool + "/stream");
      one.close();
      Await.until(PATIENCE, () -> StreamTest.listenersOf(service) == 1);
      var third = Listening.to(api, pool);

      assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("503too-many-listeners");
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      assertThat(third.map()).isEqualTo(Listening.truth(api, pool));
      other.close();
      third.close();
    }
  }

  @Test
  void a_stream_where_nothing_happens_is_kept_awake_and_ends_when_its_time_is_over(
      TestServers servers) {
    var settings =
        Map.<String, Object>of("holdfast.live-heartbeat", "200ms", "holdfast.live-life", "2s");
    try (var service = RealServers.start(servers, settings)) {
      var api = Api.of(service);
      var pool = api.pool(1);
      var listener = Listening.to(api, pool);

      Await.until(PATIENCE, () -> listener.comments().size() >= 2);
      Await.until(PATIENCE, listener::isOver);
      api.hold(pool, "ann", "A-1");
      try (var again = Listening.to(api, pool, listener.lastId())) {
        again.awaitEvents(1);

        assertThat(listener.comments()).contains(": still here");
        assertThat(again.events().getFirst().name()).isEqualTo("change");
      }
    }
  }
}
