package io.holdfast.seeding;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(RealServers.class)
@Tag("cluster")
@Tag("slow")
class PoolSeederTest {
  private static final int ROUNDS = 20;
  private static final int LARGE = 20_000;

  /// Returns 1 if the pool was loaded in part, -1 if it was loaded as a whole, otherwise 0.
  private static final String FLUSH_HALF_WAY =
      """
      local fields = redis.call('HLEN', KEYS[1])
      if fields > tonumber(ARGV[1]) then
        return -1
      elseif fields > 100 then
        redis.call('FLUSHDB')
        return 1
      end
      return 0
      """;

  @TempDir static Path folder;

  private static TestServers servers;
  private static Service one;
  private static Service other;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    var patient =
        Map.<String, Object>of("redis.command-timeout", "5s"); // a busy machine is no lost one
    one = Instances.start(servers, folder.resolve("one"), patient);
    other = Instances.start(servers, folder.resolve("other"), patient);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void end() {
    one.close();
    other.close();
  }

  @Test
  @Requirement({"BR-F-1", "BR-F-6"})
  void two_instances_that_seed_one_pool_at_once_hand_out_growing_fences() {
    var pool = Api.of(one).pool(ROUNDS * 4, "{\"maxHoldsPerRequester\":1000}");
    var last = 0L;

    for (var round = 0; round < ROUNDS; round++) {
      servers.redis(RedisCommands::flushdb);
      var answers = placedAtOnce(pool, round * 4);

      var fences = answers.stream().map(answer -> Hold.of(answer).fence()).sorted().toList();
      assertThat(fences).doesNotHaveDuplicates();
      assertThat(fences.getFirst()).isGreaterThan(last);
      last = fences.getLast();
    }
    // anna would get her own hold if its line reached Postgres before the flush
    assertThat(Api.of(one).place(pool, Api.token(), "bob", "A-1").statusCode()).isIn(201, 409);
  }

  /// Two items by way of each instance, all at the same time.
  private static List<HttpResponse<String>> placedAtOnce(String pool, int first) {
    var calls =
        IntStream.rangeClosed(1, 4)
            .mapToObj(
                number -> {
                  var api = Api.of(number % 2 == 0 ? one : other);
                  var token = Api.token();
                  return CompletableFuture.supplyAsync(
                      () -> decided(() -> api.place(pool, token, "anna", "A-" + (first + number))),
                      Thread::startVirtualThread);
                })
            .toList();
    var answers = calls.stream().map(CompletableFuture::join).toList();
    assertThat(answers).allMatch(answer -> answer.statusCode() == 201);
    return answers;
  }

  @Test
  void a_seeding_that_meets_a_flush_half_way_begins_again() {
    var pool = Api.of(one).pool(LARGE);
    var meta = "{p:%s}:meta".formatted(pool);
    var isFlushed = false;
    var before = 0L;

    for (var round = 0; round < ROUNDS && !isFlushed; round++) {
      before = epochOf(pool);
      servers.redis(RedisCommands::flushdb);
      var placing = placing(pool, "u" + round, "A-" + (1 + round), "A-" + (LARGE - round));
      isFlushed = flushHalfWay(meta);
      assertThat(placing.join().statusCode()).isEqualTo(201);
    }

    assertThat(isFlushed).as("a seeding was seen half-way").isTrue();
    long items = servers.redis(redis -> itemsIn(redis, meta));
    assertThat(items).isEqualTo(LARGE);
    assertThat(epochOf(pool)).isGreaterThanOrEqualTo(before + 2);
  }

  private static CompletableFuture<HttpResponse<String>> placing(
      String pool, String requester, String... items) {
    var api = Api.of(one);
    var token = Api.token();
    return CompletableFuture.supplyAsync(
        () -> decided(() -> api.place(pool, token, requester, items)), Thread::startVirtualThread);
  }

  /// Returns whether the seeding was met half-way. Otherwise it was too fast.
  private static boolean flushHalfWay(String meta) {
    var seen = new AtomicLong();
    servers.redis(
        redis -> {
          Await.until(
              PATIENCE,
              () -> {
                seen.set(
                    redis.<Long>eval(
                        FLUSH_HALF_WAY,
                        ScriptOutputType.INTEGER,
                        new String[] {meta},
                        Integer.toString(LARGE)));
                return seen.get() != 0;
              });
          return null;
        });
    return seen.get() == 1;
  }

  private static long itemsIn(RedisCommands<String, String> redis, String meta) {
    return redis.hkeys(meta).stream().filter(field -> field.startsWith("item:")).count();
  }

  @Test
  void a_seeding_that_died_is_taken_over_and_callers_wait_or_get_retry_after() {
    var api = Api.of(one);
    var pool = api.pool(20, "{\"maxHoldsPerRequester\":1000}");
    var held = api.hold(pool, "anna", "A-20");
    beginSeeding(pool);

    var answers =
        IntStream.rangeClosed(1, 10)
            .mapToObj(
                number ->
                    CompletableFuture.supplyAsync(
                        () -> api.place(pool, Api.token(), "anna", "A-" + number),
                        Thread::startVirtualThread))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();

    for (var answer : answers) {
      assertThat(answer.statusCode()).as(answer.body()).isIn(201, 503);
      if (answer.statusCode() == 503) {
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.body()).contains("\"definite\":true");
      }
    }
    var token = Api.token();
    assertThat(decided(() -> api.place(pool, token, "anna", "A-11")).statusCode()).isEqualTo(201);
    assertThat(api.heartbeat(held.id(), "anna", held.fence()).statusCode()).isEqualTo(200);
    assertThat(api.place(pool, Api.token(), "berta", "A-20").statusCode()).isEqualTo(409);
  }

  @Test
  void a_step_of_a_seeding_that_was_overtaken_changes_nothing() {
    var name = new PoolName(Api.of(one).pool(20));
    var scripts = one.context().getBean(PoolScripts.class);
    var late = one.context().getBean(EpochCounter.class).next(name).orElseThrow();
    var newer = one.context().getBean(EpochCounter.class).next(name).orElseThrow();
    scripts.seed(poolOf(name), late, 0, "TEST", false);
    scripts.seed(poolOf(name), newer, 0, "TEST", false);

    assertThat(one.context().getBean(EpochOpener.class).open(poolOf(name), late, "TEST")).isFalse();
    assertThatThrownBy(() -> one.context().getBean(PoolLoader.class).load(poolOf(name), late))
        .isInstanceOf(PoolScripts.Superseded.class);
    assertThat(scripts.open(name, late)).isFalse();
    assertThat(one.context().getBean(EpochOpener.class).open(poolOf(name), newer, "TEST")).isTrue();
  }

  /// A slow seeder: a newer epoch was opened and lost since, so Redis has no trace of it.
  @Test
  @Requirement("BR-F-6")
  void an_epoch_that_is_no_longer_the_newest_is_not_opened_over_an_empty_memory() {
    var name = new PoolName(Api.of(one).pool(20));
    var late = one.context().getBean(EpochCounter.class).next(name).orElseThrow();
    assertThat(one.context().getBean(EpochOpener.class).open(poolOf(name), "TEST")).isTrue();
    var newest = Api.of(one).hold(name.value(), "anna", "A-1");
    servers.redis(redis -> redis.del(name.key("meta"), name.key("journal")));

    assertThat(one.context().getBean(EpochOpener.class).open(poolOf(name), late, "TEST")).isFalse();
    var token = Api.token();
    var api = Api.of(one);
    var placed = decided(() -> api.place(name.value(), token, "anna", "A-2"));
    assertThat(Hold.of(placed).fence()).isGreaterThan(newest.fence());
  }

  /// A seeder took an epoch and died before it reached Redis.
  @Test
  @Requirement("IR-ST-01")
  void a_pool_whose_epoch_was_raised_for_nothing_is_drained_all_the_same() {
    var api = Api.of(one);
    var pool = api.pool(20);
    one.context().getBean(EpochCounter.class).next(new PoolName(pool));

    var hold = api.hold(pool, "anna", "A-1");

    Await.until(PATIENCE, () -> rows.stateOf(hold).equals("HELD"));
    var later = Hold.of(decided(() -> api.place(pool, Api.token(), "anna", "A-2")));
    assertThat(later.fence()).isGreaterThan(hold.fence());
    assertThat(api.heartbeat(hold.id(), "anna", hold.fence()).statusCode()).isEqualTo(200);
  }

  @Test
  void the_record_of_openings_names_every_epoch_that_gave_a_fence() {
    var api = Api.of(one);
    var pool = api.pool(20);
    var fences = new ArrayList<Long>();
    for (var life = 1; life <= 4; life++) {
      var item = "A-" + life;
      var token = Api.token();
      fences.add(Hold.of(decided(() -> api.place(pool, token, "u" + item, item))).fence());
      servers.redis(RedisCommands::flushdb);
    }

    var recorded = rows.texts("SELECT epoch FROM fence_epoch WHERE pool = ? ORDER BY epoch", pool);
    assertThat(recorded)
        .containsAll(fences.stream().map(fence -> Long.toString(fence >> 32)).toList());
    assertThat(rows.texts("SELECT cause FROM fence_epoch WHERE pool = ? ORDER BY epoch", pool))
        .startsWith("FIRST", "LOST");
  }

  private static void beginSeeding(String pool) {
    var name = new PoolName(pool);
    var epoch = one.context().getBean(EpochCounter.class).next(name).orElseThrow();
    var begun =
        one.context().getBean(PoolScripts.class).seed(poolOf(name), epoch, 0, "TEST", false);
    assertThat(begun).isInstanceOf(PoolScripts.Seed.Begun.class);
  }

  private static Pool poolOf(PoolName name) {
    return one.context().getBean(Catalogue.class).find(name).orElseThrow();
  }

  private static long epochOf(String pool) {
    return rows.number("SELECT epoch FROM pool WHERE pool = ?", pool);
  }
}
