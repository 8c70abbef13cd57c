package io.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RedisCluster;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Two instances in front of three masters and three replicas, under load, while slots move and
/// masters die. Clients repeat calls with the same token while they get 503.
@ExtendWith(RealServers.class)
@Tag("slow")
class ClusterTest {
  private static final int CLIENTS = 12;
  private static final int CALM = 150;
  private static final Duration SOON = Duration.ofSeconds(10); // else it would be found by chance

  @TempDir static Path folder;

  private static RedisCluster cluster;
  private static List<Service> instances;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers servers) {
    cluster = RedisCluster.start(folder.resolve("redis"), 3, 3);
    Map<String, Object> settings =
        Map.of("redis.uri", cluster.uri(), "redis.command-timeout", "1s");
    instances =
        IntStream.range(0, 2)
            .mapToObj(i -> Instances.start(servers, folder.resolve("data-" + i), settings))
            .toList();
    rows = Rows.of(servers);
  }

  @AfterAll
  static void stop() {
    instances.forEach(Service::close);
    cluster.close();
  }

  @Test
  @Requirement({"BR-F-1", "BR-F-6"})
  void a_slot_that_moves_to_another_master_costs_time_and_nothing_else() throws Exception {
    underLoad(
        load -> {
          for (var pool : load.pools().subList(0, 3)) {
            var meta = "{p:%s}:meta".formatted(pool);
            var target = cluster.anotherMaster(meta);
            cluster.migrate(meta, target);
            load.awaitMore(CALM);
            assertThat(cluster.masterOf(meta)).isEqualTo(target);
          }
        });
  }

  @Test
  @Tag("proof")
  @Requirement({"BR-F-1", "BR-F-6"})
  void a_master_that_dies_is_followed_by_its_replica_and_no_answer_is_wrong() throws Exception {
    underLoad(
        load -> {
          var meta = "{p:%s}:meta".formatted(load.pools().getFirst());
          var dead = cluster.masterOf(meta);
          cluster.kill(dead);
          cluster.awaitFailover(meta, dead);
          Await.until(SOON, () -> load.isServed(0));
          load.awaitMore(CALM);
          cluster.restart(dead);
          load.awaitMore(CALM);
        });
  }

  private void underLoad(Consumer<ClusterLoad> fault) throws Exception {
    var load = new ClusterLoad(instances, rows);
    try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      var clients =
          IntStream.range(0, CLIENTS).<Future<?>>mapToObj(_ -> workers.submit(load::run)).toList();
      try {
        load.awaitMore(CALM);
        fault.accept(load);
      } finally {
        load.end();
      }
      for (var client : clients) {
        client.get();
      }
    }
    load.assertSound();
  }
}
