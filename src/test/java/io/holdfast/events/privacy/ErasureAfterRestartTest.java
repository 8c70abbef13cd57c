package io.holdfast.events.privacy;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static io.holdfast.testing.RetryingClient.calm;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RedisServer;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A Redis that restarts with its data has names in pools that nobody has used since. A shredding
/// finds them there.
@ExtendWith(RealServers.class)
class ErasureAfterRestartTest {
  @TempDir static Path folder;

  private static TestServers servers;
  private static RedisServer redis;
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static String steady;

  /// Journals stay in Redis, and no sweep opens a pool before the shredding does.
  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    redis = RedisServer.lasting(folder.resolve("redis"));
    service = Instances.start(servers, folder.resolve("data"), Map.of("redis.uri", redis.uri()));
    api = Api.of(service);
    rows = Rows.of(servers);
    steady = api.pool(1);
    Instances.stopDraining(service);
    TaskControl.pause(service.context().getBean(PeriodicTasks.class), "expiry-sweep");
  }

  @AfterAll
  static void stop() {
    service.close();
    redis.close();
  }

  @Test
  @Requirement("AU-7")
  void names_that_have_survived_a_restart_are_erased_although_nobody_has_used_the_pool_since() {
    var name = "gustav.mustermann@example.org";
    var pool = api.pool(1);
    var hold = api.hold(pool, name, "A-1");
    assertThat(api.release(hold.id(), Api.token(), name).statusCode()).isEqualTo(200);
    restart(pool);
    assertThat(search(name).found().keySet())
        .anyMatch(key -> key.startsWith("key {p}:tok:"))
        .contains("key {p}:journal");

    var shredded = shred(name);

    assertThat(shredded.statusCode()).as(shredded.body()).isEqualTo(200);
    assertThat(search(name).found()).isEmpty();
    assertThat(rows.stateOf(hold)).isEqualTo("RELEASED");
    assertThat(rows.number("SELECT count(*) FROM unfinished_erasure")).isZero();
  }

  @Test
  @Requirement("AU-7")
  void a_live_hold_that_only_a_restarted_redis_has_prevents_a_shredding() {
    var name = "heidi.mustermann@example.org";
    var pool = api.pool(1);
    var hold = api.hold(pool, name, "A-1");
    restart(pool);

    var refused = shred(name);

    assertThat(Api.code(refused)).isEqualTo("subject-active");
    assertThat(api.release(hold.id(), Api.token(), name).statusCode()).isEqualTo(200);
    assertThat(shred(name).statusCode()).isEqualTo(200);
    assertThat(search(name).found()).isEmpty();
  }

  @Test
  @Requirement("AU-7")
  void a_shredding_that_redis_has_missed_is_finished_under_any_token() {
    var name = "ida.mustermann@example.org";
    var pool = api.pool(1);
    var hold = api.hold(pool, name, "A-1");
    assertThat(api.release(hold.id(), Api.token(), name).statusCode()).isEqualTo(200);
    awaitNoted(pool);
    assertThat(shred(name).statusCode()).isEqualTo(200);
    var pseudonym =
        rows.texts("SELECT requester FROM hold WHERE hold_id = ?", hold.id()).getFirst();
    rows.change(
        "INSERT INTO unfinished_erasure VALUES ('operator', ?, ?, ARRAY[?])",
        name,
        pseudonym,
        pool);
    assertThat(search(name).found()).containsOnlyKeys("table public.unfinished_erasure");

    assertThat(shred(name).statusCode()).isEqualTo(200);

    assertThat(search(name).found()).isEmpty();
    assertThat(Api.code(shred(name)))
        .as("there is nothing left of the person")
        .isEqualTo("not-known");
  }

  @Test
  @Requirement("AU-7")
  void a_shredding_whose_process_has_died_before_redis_was_told_is_finished_by_itself() {
    var name = "jana.mustermann@example.org";
    var pool = api.pool(1);
    var hold = api.hold(pool, name, "A-1");
    assertThat(api.release(hold.id(), Api.token(), name).statusCode()).isEqualTo(200);
    awaitNoted(pool);
    assertThat(search(name).found().keySet()).anyMatch(key -> key.startsWith("key {p}:tok:"));
    makeEntriesOld(pool);
    rows.change(
        "INSERT INTO unfinished_erasure VALUES ('operator', ?, 'shredded:0', ARRAY[?], now() -"
            + " interval '1 min')",
        name,
        pool);

    Await.until(PATIENCE, () -> rows.number("SELECT count(*) FROM unfinished_erasure") == 0);

    assertThat(search(name).found().keySet()).noneMatch(key -> key.startsWith("key "));
  }

  /// As if its calls had been made two minutes ago.
  private static void makeEntriesOld(String pool) {
    redis.on(
        each -> {
          for (var bucket : each.keys("{p:" + pool + "}:tok:*")) {
            each.hgetall(bucket)
                .forEach((token, entry) -> each.hset(bucket, token, olderBy(120_000, entry)));
          }
          return each;
        });
  }

  private static String olderBy(long ms, String entry) {
    var parts = entry.split("\t", 2);
    return Long.parseLong(parts[0]) - ms + "\t" + parts[1];
  }

  /// The index knows of the last lines of the journal some moments later.
  private static void awaitNoted(String pool) {
    Await.until(PATIENCE, () -> redis.on(each -> each.zscore("{holdfast}:drain", pool)) != null);
  }

  private static void restart(String pool) {
    awaitNoted(pool);
    redis.kill();
    redis.start();
    calm(() -> api.get("/v1/pools/" + steady));
  }

  private static HttpResponse<String> shred(String name) {
    var token = Api.token();
    return decided(() -> api.post("/v1/subjects/" + name + "/shred", token, "{}"));
  }

  private static NameSearch search(String name) {
    return new NameSearch(servers, redis::on, "operator", name);
  }
}
