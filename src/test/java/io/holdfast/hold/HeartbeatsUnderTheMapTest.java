package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Service;
import io.holdfast.hold.Lookout.Sight;
import io.holdfast.hold.Picture.State;
import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Catalogue;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A map of more holds than one call looks at is right, also if heartbeats change their order while
/// it is walked, and one that may be wrong is not taken for the map of its version.
@ExtendWith(RealServers.class)
class HeartbeatsUnderTheMapTest {
  /// A few more than one call looks at.
  private static final int HOLDS = 620;

  private static final Map<String, Object> SETTINGS = Map.of("holdfast.rate-limit", "0");

  private static TestServers servers;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
  }

  /// Where holds are kept.
  enum Memory {
    REDIS(RealServers::start),
    POSTGRES(RealServers::startWithoutRedis);

    private final BiFunction<TestServers, Map<String, Object>, Service> start;

    Memory(BiFunction<TestServers, Map<String, Object>, Service> start) {
      this.start = start;
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_hold_that_slips_into_the_part_before_is_not_shown_free(Memory memory) {
    try (var service = memory.start.apply(servers, SETTINGS)) {
      var crowd = new Crowd(service);
      crowd.beatsAtEachSeam(1, 1);

      var picture = crowd.picture();

      assertThat(free(picture)).isZero();
      assertThat(picture.etag()).isEqualTo(Picture.etag(crowd.standing()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_map_that_misses_holds_has_no_plain_tag_and_is_drawn_again(Memory memory) {
    try (var service = memory.start.apply(servers, SETTINGS);
        var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var crowd = new Crowd(service);
      var lookout = new Lookout(service.context().getBean(HoldDesk.class), crowd.map, executor);
      crowd.beatsAtEachSeam(3, 150);

      var wrong = crowd.picture();
      var again = lookout.look(crowd.pool, wrong.etag()).toCompletableFuture().join();

      assertThat(free(wrong)).isPositive();
      assertThat(wrong.number()).isEqualTo(crowd.standing().number());
      assertThat(wrong.etag()).isNotEqualTo(Picture.etag(crowd.standing()));
      assertThat(again).isInstanceOf(Sight.Changed.class);
      var right = ((Sight.Changed) again).picture();
      assertThat(free(right)).isZero();
      assertThat(right.etag()).isEqualTo(Picture.etag(crowd.standing()));
      assertThat(lookout.look(crowd.pool, right.etag()).toCompletableFuture().join())
          .isEqualTo(new Sight.Same());
    }
  }

  private static long free(Picture picture) {
    return Collections.frequency(picture.states(), State.FREE);
  }

  /// A pool all of whose items are held, and a map of it that is walked while hearts beat.
  private static final class Crowd implements Scripts {
    private final Api api;
    private final Scripts scripts;
    private final List<Hold> holds;
    private final Pool pool;
    private final SeatMap map;
    private int seams;
    private int beats;
    private int beaten;

    Crowd(Service service) {
      api = Api.of(service);
      scripts = service.context().getBean(Scripts.class);
      var name = api.pool(HOLDS);
      holds = IntStream.range(0, HOLDS).mapToObj(i -> placed(name, i)).toList();
      pool = service.context().getBean(Pools.class).find(new PoolName(name)).orElseThrow();
      map = new SeatMap(new PoolScripts(this), service.context().getBean(Catalogue.class));
    }

    /// Before the second part of each walk, so many holds of the first go to the end of the second.
    void beatsAtEachSeam(int seamsWanted, int beatsWanted) {
      seams = seamsWanted;
      beats = beatsWanted;
    }

    Picture picture() {
      return map.picture(pool, standing()).orElseThrow();
    }

    Standing standing() {
      return Standing.read(Replies.of(new PoolScripts(scripts).count(pool.name())));
    }

    @Override
    public CompletionStage<List<Object>> call(Script script, String[] keys, String... others) {
      var isSeam = script.equals(Script.named("pool/held")) && !others[0].equals("0");
      for (var i = 0; isSeam && seams > 0 && i < beats; i++) {
        var hold = holds.get(beaten);
        var beat = api.heartbeat(hold.id(), requester(beaten), hold.fence());
        assertThat(beat.statusCode()).as(beat.body()).isEqualTo(200);
        beaten++;
      }
      seams -= isSeam ? 1 : 0;
      return scripts.call(script, keys, others);
    }

    @Override
    public boolean isSerial() {
      return true;
    }

    @Override
    public Instant now() {
      return scripts.now();
    }

    private Hold placed(String name, int number) {
      return api.hold(name, requester(number), "A-" + (number + 1));
    }

    private static String requester(int number) {
      return "u" + number;
    }
  }
}
