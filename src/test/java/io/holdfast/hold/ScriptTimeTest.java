package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.redis.Script;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// How long scripts take in Redis, as its slow log has it, in a small pool and in one of the
/// largest size. Both pools are used by turns, and medians are compared, so that what else the
/// machine does slows down both.
@ExtendWith(RealServers.class)
@Tag("slow")
class ScriptTimeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int SMALL = 2_000;
  private static final int LARGE = 100_000;
  private static final int ITEMS_A_HOLD = 10;

  private static final int HOLDS_OF_SMALL = 120;
  private static final int HOLDS_OF_LARGE = 2_400;
  private static final int CALLS = 60;
  private static final int CALLERS = 8;
  private static final int PART = 100; // holds; the small pool has as many
  private static final int SLOWLOG_MAX = 100_000;
  private static final Script PLACE = Script.named("hold/place");
  private static final Script SWEEP = Script.named("hold/sweep");
  private static final Script MAP = Script.named("pool/held");

  /// A cost that grew with the pool would be fifty times as high in the large one.
  private static final double RATIO_MAX = 2;

  /// Medians of the same work differ by less.
  private static final double REFUSAL_RATIO_MAX = 1.25;

  private static final String GRANTED = "granted-";
  private static final String REFUSED = "refused-";

  private static TestServers servers;
  private static Api api;
  private static Sized small;
  private static Sized large;

  /// The first items are held, the last ones are free.
  private record Sized(String pool, int items) {
    String item(int number) {
      return "A-" + number;
    }

    String meta() {
      return "{p:%s}:meta".formatted(pool);
    }

    String free(int number) {
      return item(items - 1 - number);
    }
  }

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
    small = filled(SMALL, HOLDS_OF_SMALL);
    large = filled(LARGE, HOLDS_OF_LARGE);
    TaskControl.pause(service.context().getBean(PeriodicTasks.class), "expiry-sweep");
    servers.redis(redis -> redis.scriptLoad(MAP.text())); // nobody has looked at a map so far
    servers.redis(redis -> redis.configSet("slowlog-max-len", Integer.toString(SLOWLOG_MAX)));
    servers.redis(redis -> redis.configSet("slowlog-log-slower-than", "0"));
  }

  @AfterAll
  static void restore() {
    servers.redis(redis -> redis.configSet("slowlog-log-slower-than", "10000"));
    servers.redis(redis -> redis.configSet("slowlog-max-len", "128"));
  }

  @Test
  @Requirement("AU-19")
  void placing_and_refusing_take_as_long_in_the_largest_pool_as_in_a_small_one() {
    placeAndRefuse(1);

    assertAlike(median(PLACE, large, GRANTED), median(PLACE, small, GRANTED));
    assertAlike(median(PLACE, large, REFUSED), median(PLACE, small, REFUSED));
  }

  @Test
  @Requirement("AU-19")
  void refusing_takes_no_longer_than_placing() {
    placeAndRefuse(200);

    for (var sized : List.of(small, large)) {
      var refused = median(PLACE, sized, REFUSED);
      var granted = median(PLACE, sized, GRANTED);
      assertThat((double) refused / granted)
          .as("%d µs refused, %d granted, in %s", refused, granted, sized)
          .isLessThan(REFUSAL_RATIO_MAX);
    }
  }

  @Test
  @Requirement("AU-19")
  void a_call_of_the_sweep_takes_as_long_in_the_largest_pool_as_in_a_small_one() {
    var ends = new ArrayList<Instant>();
    byTurns(sized -> i -> ends.add(placeForASecond(sized, sized.free(400 + i), "u" + i)));
    Await.until(PATIENCE, () -> Instant.now().isAfter(ends.getLast().plusMillis(100)));
    forget();
    byTurns(sized -> _ -> assertThat(sweepOne(sized)).hasSize(2));
    assertAlike(median(SWEEP, large, ""), median(SWEEP, small, ""));
  }

  @Test
  @Requirement("AU-19")
  void a_part_of_a_seat_map_takes_as_long_in_the_largest_pool_as_in_a_small_one() {
    byTurns(sized -> _ -> assertThat(partOfMap(sized)).hasSize(1));
    assertAlike(median(MAP, large, ""), median(MAP, small, ""));
  }

  private interface Turn {
    IntConsumer in(Sized sized);
  }

  /// In the order ABBA.
  private static void byTurns(Turn turn) {
    for (var i = 0; i < CALLS; i++) {
      turn.in(i % 2 == 0 ? small : large).accept(i);
      turn.in(i % 2 == 0 ? large : small).accept(i);
    }
  }

  private static void placeAndRefuse(int from) {
    byTurns(
        sized ->
            i -> {
              assertPlaced(sized, sized.free(from + i), GRANTED + i, 201);
              assertPlaced(sized, sized.item(i), REFUSED + i, 409);
            });
  }

  private static void assertPlaced(Sized sized, String item, String requester, int status) {
    var placed = api.place(sized.pool, Api.token(), requester, item);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(status);
  }

  private static Instant placeForASecond(Sized sized, String item, String requester) {
    var body =
        "{\"requester\":\"%s\",\"items\":[\"%s\"],\"leaseSeconds\":1}".formatted(requester, item);
    var placed = api.post("/v1/pools/" + sized.pool + "/holds", Api.token(), body);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    return Api.time(placed, "leaseUntil");
  }

  /// What the service sends in a sweep of one hold.
  private static List<Object> sweepOne(Sized sized) {
    return call(SWEEP, sized, "1");
  }

  /// What the service sends for the first part of a seat map.
  private static List<Object> partOfMap(Sized sized) {
    return call(MAP, sized, "0", Integer.toString(PART - 1));
  }

  private static List<Object> call(Script script, Sized sized, String... more) {
    var keys = new String[] {sized.meta(), "{p:%s}:journal".formatted(sized.pool)};
    return servers.redis(
        redis -> {
          var arguments =
              Stream.concat(Stream.of(redis.hget(sized.meta(), "run_id")), Stream.of(more));
          return redis.evalsha(
              script.sha1(), ScriptOutputType.MULTI, keys, arguments.toArray(String[]::new));
        });
  }

  @BeforeEach
  void forget() {
    servers.redis(redis -> redis.slowlogReset());
  }

  private static void assertAlike(long inLarge, long inSmall) {
    assertThat((double) inLarge / inSmall)
        .as("%d µs in the large pool, %d in the small one", inLarge, inSmall)
        .isLessThan(RATIO_MAX);
  }

  /// The microseconds of a call of a script on a pool.
  ///
  /// @param requester how its name begins; all if empty
  private static long median(Script script, Sized sized, String requester) {
    List<Object> entries = servers.redis(redis -> redis.slowlogGet(SLOWLOG_MAX));
    var micros =
        entries.stream()
            .map(entry -> (List<?>) entry)
            .filter(entry -> isCall(texts(entry.get(3)), script, sized, requester))
            .map(entry -> (Long) entry.get(2))
            .sorted()
            .toList();
    assertThat(micros).hasSizeGreaterThanOrEqualTo(CALLS);
    return micros.get(micros.size() / 2);
  }

  private static boolean isCall(
      List<String> command, Script script, Sized sized, String requester) {
    return command.contains(script.sha1())
        && command.contains(sized.meta())
        && (requester.isEmpty() || command.stream().anyMatch(text -> text.startsWith(requester)));
  }

  private static List<String> texts(Object command) {
    return ((List<?>) command).stream().map(ScriptTimeTest::text).toList();
  }

  private static String text(Object argument) {
    return argument instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : argument.toString();
  }

  private static Sized filled(int items, int holds) {
    var name = "sized-" + UUID.randomUUID();
    var objects =
        IntStream.range(0, items)
            .mapToObj(i -> "{\"item\":\"A-%d\"}".formatted(i))
            .collect(Collectors.joining(","));
    var body =
        "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":[%s],\"policy\":{\"maxItemsPerHold\":%d,\"maxHoldsPerRequester\":100000}}"
            .formatted(name, objects, ITEMS_A_HOLD);
    var made = api.post("/v1/pools", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    var sized = new Sized(name, items);
    Await.until(
        PATIENCE, () -> api.place(name, Api.token(), "first", sized.free(0)).statusCode() < 300);
    Together.run(
        CALLERS,
        caller -> {
          for (var hold = caller; hold < holds; hold += CALLERS) {
            var from = hold * ITEMS_A_HOLD;
            var wanted = IntStream.range(from, from + ITEMS_A_HOLD).mapToObj(sized::item);
            api.hold(name, "holder-" + hold, wanted.toArray(String[]::new));
          }
          return caller;
        });
    return sized;
  }
}
