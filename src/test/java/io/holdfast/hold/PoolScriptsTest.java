package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.hold.SeedOutcome.Open;
import io.holdfast.hold.SeedOutcome.Seeding;
import io.holdfast.hold.SeedOutcome.Superseded;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisLink;
import io.holdfast.redis.RedisSettings;
import io.holdfast.redis.RunId;
import io.holdfast.redis.Scripts;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
class PoolScriptsTest {
  private static final PoolName ARENA = new PoolName("arena");
  private static final RunId OURS = new RunId("a".repeat(40));
  private static final RunId THEIRS = new RunId("b".repeat(40));

  private static RedisLink link;
  private static PoolScripts scripts;

  @BeforeAll
  static void open(TestServers servers) {
    var second = Duration.ofSeconds(1);
    link = RedisLink.open(new RedisSettings(servers.redisUri(), second, second, 1_000));
    scripts = new PoolScripts(new Scripts(link));
  }

  @AfterAll
  static void close() {
    link.close();
  }

  @BeforeEach
  void empty(TestServers servers) {
    servers.redis(RedisCommands::flushdb);
  }

  @Test
  void an_unknown_pool_can_be_seeded(TestServers servers) {
    var outcome = seed(7, OURS);

    assertThat(outcome).isEqualTo(new Seeding());
    assertThat(meta(servers, "state", "kind", "epoch", "seq", "run_id"))
        .containsExactly("SEEDING", "SEATS", "7", "0", OURS.value());
  }

  @Test
  void a_higher_epoch_takes_over_from_a_lower_one_and_counts_from_zero(TestServers servers) {
    seed(7, THEIRS);
    servers.redis(redis -> redis.hset(ARENA.key("meta"), "seq", "41"));

    var outcome = seed(8, OURS);

    assertThat(outcome).isEqualTo(new Seeding());
    assertThat(meta(servers, "epoch", "seq", "run_id")).containsExactly("8", "0", OURS.value());
  }

  @Test
  void a_repeated_seeding_goes_on(TestServers servers) {
    seed(7, OURS);

    var outcome = seed(7, OURS);

    assertThat(outcome).isEqualTo(new Seeding());
    assertThat(meta(servers, "state", "epoch")).containsExactly("SEEDING", "7");
  }

  @Test
  void a_newer_epoch_is_not_disturbed_by_an_older_one(TestServers servers) {
    seed(8, THEIRS);

    var outcome = seed(7, OURS);

    assertThat(outcome).isEqualTo(new Superseded(new Epoch(8)));
    assertThat(meta(servers, "epoch", "run_id")).containsExactly("8", THEIRS.value());
  }

  @Test
  void an_epoch_begun_on_one_server_cannot_be_seeded_on_another(TestServers servers) {
    seed(7, THEIRS);

    var outcome = seed(7, OURS);

    assertThat(outcome).isEqualTo(new Superseded(new Epoch(7)));
    assertThat(meta(servers, "run_id")).containsExactly(THEIRS.value());
  }

  @Test
  void a_seeding_that_comes_late_learns_that_its_epoch_is_open(TestServers servers) {
    seed(7, OURS);
    servers.redis(redis -> redis.hset(ARENA.key("meta"), "state", "OPEN"));

    var outcome = seed(7, OURS);

    assertThat(outcome).isEqualTo(new Open());
    assertThat(meta(servers, "state")).containsExactly("OPEN");
  }

  @Test
  void the_highest_epoch_is_told_as_the_number_it_is() {
    seed(Integer.MAX_VALUE, THEIRS);

    var outcome = seed(7, OURS);

    assertThat(outcome).isEqualTo(new Superseded(new Epoch(Integer.MAX_VALUE)));
  }

  @RepeatedTest(20)
  void of_two_who_seed_at_once_the_higher_epoch_remains(TestServers servers) {
    var start = new CyclicBarrier(2);

    var lower = CompletableFuture.supplyAsync(() -> seedTogether(start, 7));
    var higher = CompletableFuture.supplyAsync(() -> seedTogether(start, 8));

    assertThat(higher.join()).isEqualTo(new Seeding());
    assertThat(lower.join()).isIn(new Seeding(), new Superseded(new Epoch(8)));
    assertThat(meta(servers, "state", "epoch")).containsExactly("SEEDING", "8");
  }

  private static SeedOutcome seed(long epoch, RunId server) {
    return scripts
        .seed(ARENA, PoolKind.SEATS, new Epoch(epoch), server)
        .toCompletableFuture()
        .join();
  }

  private static SeedOutcome seedTogether(CyclicBarrier start, long epoch) {
    try {
      start.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return seed(epoch, OURS);
  }

  private static List<String> meta(TestServers servers, String... fields) {
    return servers.redis(
        redis ->
            redis.hmget(ARENA.key("meta"), fields).stream()
                .map(field -> field.getValueOrElse("none"))
                .toList());
  }
}
