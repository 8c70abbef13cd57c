package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.pool.PoolName;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Loops;
import io.holdfast.testing.RedisCluster;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The same link, in front of three masters of a cluster.
class RedisClusterTest {
  private static final Script SEED = Script.named("pool/seed");

  @TempDir static Path folder;

  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(folder, 3, 0);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void scripts_reach_the_node_that_has_the_pool_whichever_nodes_were_named() {
    for (var uri : List.of(String.join(",", cluster.nodes()), cluster.nodes().getLast())) {
      try (var link = RedisConnections.open(settings(uri), Loops.one())) {
        for (var pool : List.of("arena", "theatre", "stadium", "cinema", "hall", "club")) {
          assertThat(seed(link, new PoolName(pool)).getFirst()).startsWith("SEEDING\t");
        }
      }
    }

    assertThat(cluster.nodes()).allMatch(node -> cluster.keysOf(node) > 0);
  }

  @Test
  void a_first_node_that_is_down_does_not_matter() {
    var uri = "redis://127.0.0.1:1," + cluster.nodes().getFirst();

    try (var link = RedisConnections.open(settings(uri), Loops.one())) {
      assertThat(seed(link, new PoolName("arena")).getFirst()).startsWith("SEEDING\t");
    }
  }

  @Test
  void the_options_are_the_same_as_for_a_single_server() {
    try (var link = RedisConnections.open(settings(cluster.nodes().getFirst()), Loops.one())) {
      var options = link.connection().getOptions();

      assertThat(options.getDisconnectedBehavior()).isEqualTo(DisconnectedBehavior.REJECT_COMMANDS);
      assertThat(options.getRequestQueueSize()).isEqualTo(64);
      assertThat(options.getTimeoutOptions().isTimeoutCommands()).isTrue();
    }
  }

  @Test
  void one_master_that_evicts_is_enough_to_refuse_the_cluster() {
    var last = cluster.nodes().getLast();
    cluster.configure(last, "maxmemory-policy", "allkeys-random");
    try {
      assertThatThrownBy(
              () -> RedisConnections.open(settings(cluster.nodes().getFirst()), Loops.one()))
          .isInstanceOf(StartFailure.class)
          .hasMessageContaining("evicts keys (maxmemory-policy allkeys-random)");
    } finally {
      cluster.configure(last, "maxmemory-policy", "noeviction");
    }
  }

  private static List<String> seed(RedisConnections link, PoolName pool) {
    return new RedisScripts(link)
        .call(
            SEED,
            new String[] {pool.key("meta"), pool.key("journal")},
            "1",
            "SEATS",
            "0",
            "FIRST",
            "60000",
            "",
            "",
            "")
        .toCompletableFuture()
        .join();
  }

  private static RedisSettings settings(String uri) {
    return new RedisSettings(uri, Duration.ofSeconds(1), Duration.ofSeconds(2), 64);
  }
}
