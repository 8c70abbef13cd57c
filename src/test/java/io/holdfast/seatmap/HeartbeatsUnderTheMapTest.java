package io.holdfast.seatmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldService;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisConnections;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import io.holdfast.seatmap.SeatMapPoller.PollResult;
import io.holdfast.seatmap.SeatMapSnapshot.State;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A snapshot of more holds than one call reads is correct, also if heartbeats change their order
/// during the read. An inconsistent snapshot does not count as that of its version.
@ExtendWith(RealServers.class)
class HeartbeatsUnderTheMapTest {
  /// A few more than one call reads.
  private static final int HOLDS = 620;

  private static final Map<String, Object> SETTINGS = Map.of("holdfast.rate-limit", "0");

  private static TestServers servers;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
  }

  @Test
  void a_hold_that_slips_into_the_part_before_is_not_shown_free() {
    try (var service = RealServers.start(servers, SETTINGS)) {
      var crowd = new Crowd(service);
      crowd.beatsAtEachSeam(1, 1);

      var snapshot = crowd.snapshot();

      assertThat(free(snapshot)).isZero();
      assertThat(snapshot.etag()).isEqualTo(SeatMapSnapshot.etag(crowd.counts()));
    }
  }

  @Test
  void a_map_that_misses_holds_has_no_plain_tag_and_is_drawn_again() {
    try (var service = RealServers.start(servers, SETTINGS);
        var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var crowd = new Crowd(service);
      var poller =
          new SeatMapPoller(
              service.context().getBean(HoldService.class),
              crowd.map,
              service.context().getBean(PoolRegistry.class),
              executor);
      crowd.beatsAtEachSeam(3, 150);

      var wrong = crowd.snapshot();
      var again = poller.poll(crowd.pool, wrong.etag()).toCompletableFuture().join();

      assertThat(free(wrong)).isPositive();
      assertThat(wrong.number()).isEqualTo(crowd.counts().number());
      assertThat(wrong.etag()).isNotEqualTo(SeatMapSnapshot.etag(crowd.counts()));
      assertThat(again).isInstanceOf(PollResult.Changed.class);
      var right = ((PollResult.Changed) again).snapshot();
      assertThat(free(right)).isZero();
      assertThat(right.etag()).isEqualTo(SeatMapSnapshot.etag(crowd.counts()));
      assertThat(poller.poll(crowd.pool, right.etag()).toCompletableFuture().join())
          .isEqualTo(new PollResult.Same());
    }
  }

  private static long free(SeatMapSnapshot snapshot) {
    return Collections.frequency(snapshot.states(), State.FREE);
  }

  /// A pool whose items are all held, and a seat map that is read during heartbeats.
  private static final class Crowd extends RedisScripts {
    private final Api api;
    private final List<Hold> holds;
    private final Pool pool;
    private final SeatMapReader map;
    private int seams;
    private int beats;
    private int beaten;

    Crowd(Service service) {
      super(service.context().getBean(RedisConnections.class));
      api = Api.of(service);
      var name = api.pool(HOLDS);
      holds = IntStream.range(0, HOLDS).mapToObj(i -> placed(name, i)).toList();
      pool = service.context().getBean(PoolRegistry.class).find(new PoolName(name)).orElseThrow();
      map =
          new SeatMapReader(
              new PoolScripts(this),
              service.context().getBean(Catalogue.class),
              service.context().getBean(AuctionSummaries.class));
    }

    /// Before the second part of each walk, so many holds of the first go to the end of the second.
    void beatsAtEachSeam(int seamsWanted, int beatsWanted) {
      seams = seamsWanted;
      beats = beatsWanted;
    }

    SeatMapSnapshot snapshot() {
      return map.snapshot(pool, counts()).orElseThrow();
    }

    PoolCounts counts() {
      var count = ScriptReplies.await(new PoolScripts(this).count(pool.name()));
      return ((PoolScripts.Count.Counts) count).counts();
    }

    @Override
    public CompletionStage<List<String>> call(Script script, String[] keys, String... others) {
      var isSeam = script.equals(Script.named("pool/held")) && !others[0].equals("0");
      for (var i = 0; isSeam && seams > 0 && i < beats; i++) {
        var hold = holds.get(beaten);
        var beat = api.heartbeat(hold.id(), requester(beaten), hold.fence());
        assertThat(beat.statusCode()).as(beat.body()).isEqualTo(200);
        beaten++;
      }
      seams -= isSeam ? 1 : 0;
      return super.call(script, keys, others);
    }

    private Hold placed(String name, int number) {
      return api.hold(name, requester(number), "A-" + (number + 1));
    }

    private static String requester(int number) {
      return "u" + number;
    }
  }
}
