package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The holder's instance gets each reply of Redis late. A heartbeat that checked the hold in one
/// call and extended it in the next would leave that time for the seat to change hands in between.
@ExtendWith(RealServers.class)
class HeartbeatInterleavingTest {
  private static final Duration LATE = Duration.ofMillis(100);
  private static final int ROUNDS = 5;
  private static final int CALLERS = 5;

  private static final String BENS =
      "{\"requester\":\"ben\",\"items\":[\"A-1\"],\"leaseSeconds\":60}";

  /// The lease of the next holder is shorter, so that an extension of it would show, in the hold
  /// and in the item.
  @Test
  @Requirement("BR-T-10")
  void heartbeats_that_interleave_with_a_change_of_hands_extend_nothing_of_the_next_holder(
      TestServers servers, Service service, @TempDir Path data) {
    var api = Api.of(service);
    var pool = api.pool(1, "{\"maxHoldsPerRequester\":50}");
    var around = new TreeSet<String>();
    try (var proxy = FaultProxy.before(servers.redisUri());
        var slow = Instances.start(servers, data, throughThe(proxy, servers))) {
      var anns = Api.of(slow);
      anns.get("/v1/pools/" + pool);
      proxy.delay(LATE);
      for (var round = 0; round < ROUNDS; round++) {
        var hold = api.hold(pool, "ann", "A-1");
        var extended = new CountDownLatch(1);
        var changed = new CountDownLatch(1);
        var next = new AtomicReference<HttpResponse<String>>();

        var late =
            Together.run(
                CALLERS,
                i -> {
                  if (i > 0) {
                    return heartbeats(anns, hold, extended, changed);
                  }
                  await(extended);
                  api.release(hold.id(), Api.token(), "ann");
                  next.set(api.post("/v1/pools/" + pool + "/holds", Api.token(), BENS));
                  changed.countDown();
                  return List.<String>of();
                });

        assertThat(next.get().statusCode()).as(next.get().body()).isEqualTo(201);
        late.forEach(around::addAll);
        var bens = Api.Hold.of(next.get());
        assertThat(Api.time(api.read(bens.id()), "leaseUntil"))
            .isEqualTo(Api.time(next.get(), "leaseUntil"));
        long ttl = servers.redis(redis -> redis.pttl("{p:%s}:item:A-1".formatted(pool)));
        assertThat(ttl)
            .as("the item expires a minute after the lease of a minute")
            .isLessThan(Duration.ofMinutes(3).toMillis());
        api.release(bens.id(), Api.token(), "ben");
      }
      proxy.heal();
    }
    assertThat(around)
        .as("of heartbeats before and after the change")
        .containsExactlyInAnyOrder("200", "not-held");
  }

  private static Map<String, Object> throughThe(FaultProxy proxy, TestServers servers) {
    return Map.of("redis.uri", proxy.insteadOf(servers.redisUri()), "redis.command-timeout", "10s");
  }

  /// What the heartbeats came to, of which the last one began after the change.
  private static List<String> heartbeats(
      Api api, Api.Hold hold, CountDownLatch extended, CountDownLatch changed) {
    var ends = new ArrayList<String>();
    boolean isOver;
    do {
      isOver = changed.getCount() == 0;
      var beat = api.heartbeat(hold.id(), "ann", hold.fence());
      ends.add(beat.statusCode() == 200 ? "200" : Api.code(beat));
      extended.countDown();
    } while (!isOver);
    return ends;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
