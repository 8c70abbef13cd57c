package io.holdfast.testing;

import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A cluster of embedded Redis nodes: masters first, then replicas, each of another master.
public final class RedisCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int SLOTS = 16_384;
  private static final int KEYS_A_MOVE = 50;
  private static final long MOVE_MS = 5_000;

  private final int masters;
  private final List<ClusterNode> all;
  private final List<Process> processes = new ArrayList<>();

  private RedisCluster(Path folder, int masters, int replicas) {
    this.masters = masters;
    all =
        IntStream.range(0, masters + replicas)
            .mapToObj(index -> ClusterNode.in(folder.resolve("node-" + index)))
            .toList();
    all.forEach(node -> processes.add(node.start()));
  }

  public static RedisCluster start(Path folder, int masters, int replicas) {
    var cluster = new RedisCluster(folder, masters, replicas);
    try {
      cluster.join();
      return cluster;
    } catch (AssertionError | RuntimeException e) {
      cluster.close(); // stops the nodes that were started
      throw e;
    }
  }

  public List<String> nodes() {
    return all.stream().map(ClusterNode::uri).toList();
  }

  /// The value of `REDIS_URI`.
  public String uri() {
    return String.join(",", nodes());
  }

  public long keysOf(String node) {
    return RedisCall.on(node, RedisCommands::dbsize);
  }

  public void configure(String node, String setting, String value) {
    RedisCall.on(node, redis -> redis.configSet(setting, value));
  }

  /// The node that has the key, according to the other reachable nodes.
  public String masterOf(String key) {
    var slot = SlotHash.getSlot(key);
    return clusterNodes()
        .lines()
        .filter(line -> line.contains("master") && !line.contains("fail"))
        .filter(line -> hasSlot(line, slot))
        .map(line -> "redis://" + line.split(" ")[1].replaceFirst("@.*", ""))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("nobody has slot " + slot));
  }

  /// A master without the key.
  public String anotherMaster(String key) {
    var owner = masterOf(key);
    return nodes().stream()
        .limit(masters)
        .filter(node -> !node.equals(owner) && answers(node))
        .filter(
            node -> RedisCall.on(node, redis -> redis.info("replication")).contains("role:master"))
        .findFirst()
        .orElseThrow();
  }

  /// Moves the slot of a key as `redis-cli --cluster reshard` does, a few keys at a time.
  public void migrate(String key, String target) {
    var slot = SlotHash.getSlot(key);
    var source = masterOf(key);
    var sourceId = RedisCall.on(source, RedisCommands::clusterMyId);
    var targetId = RedisCall.on(target, RedisCommands::clusterMyId);
    var port = Integer.parseInt(target.replaceFirst(".*:", ""));
    RedisCall.on(target, redis -> redis.clusterSetSlotImporting(slot, sourceId));
    RedisCall.on(source, redis -> redis.clusterSetSlotMigrating(slot, targetId));
    RedisCall.on(
        source,
        redis -> {
          for (var keys = redis.clusterGetKeysInSlot(slot, KEYS_A_MOVE);
              !keys.isEmpty();
              keys = redis.clusterGetKeysInSlot(slot, KEYS_A_MOVE)) {
            redis.migrate("127.0.0.1", port, 0, MOVE_MS, MigrateArgs.Builder.keys(keys));
          }
          return "";
        });
    RedisCall.on(target, redis -> redis.clusterSetSlotNode(slot, targetId));
    RedisCall.on(source, redis -> redis.clusterSetSlotNode(slot, targetId));
  }

  /// Kills as `kill -9` does.
  public void kill(String node) {
    processes.get(nodes().indexOf(node)).destroyForcibly().onExit().join();
  }

  /// Restarts the node on its port and folder; it synchronises with the cluster.
  public void restart(String node) {
    var index = nodes().indexOf(node);
    processes.set(index, all.get(index).start());
    Await.until(PATIENCE, () -> answers(node));
  }

  /// Waits until another node has the key and the whole cluster is available.
  public void awaitFailover(String key, String before) {
    Await.until(
        PATIENCE,
        () -> Await.comesTrue(Duration.ofMillis(100), () -> !masterOf(key).equals(before)));
    nodes().stream()
        .filter(RedisCluster::answers)
        .forEach(node -> Await.until(PATIENCE, () -> isWell(node)));
  }

  public void flush() {
    nodes().stream()
        .filter(
            node -> RedisCall.on(node, redis -> redis.info("replication")).contains("role:master"))
        .forEach(node -> RedisCall.on(node, RedisCommands::flushall));
  }

  @Override
  public void close() {
    processes.forEach(process -> process.destroyForcibly().onExit().join());
  }

  private void join() {
    for (var node : nodes()) {
      Await.until(PATIENCE, () -> answers(node));
    }
    for (var index = 0; index < masters; index++) {
      var slots = IntStream.range(index * SLOTS / masters, (index + 1) * SLOTS / masters).toArray();
      RedisCall.on(nodes().get(index), redis -> redis.clusterAddSlots(slots));
    }
    for (var index = 1; index < all.size(); index++) {
      introduce(index);
    }
    for (var node : nodes()) {
      Await.until(PATIENCE, () -> isWell(node) && knownTo(node) == all.size());
    }
    for (var index = masters; index < all.size(); index++) {
      var master = RedisCall.on(nodes().get(index % masters), RedisCommands::clusterMyId);
      var replica = nodes().get(index);
      RedisCall.on(replica, redis -> redis.clusterReplicate(master));
      Await.until(
          PATIENCE,
          () ->
              RedisCall.on(replica, redis -> redis.info("replication"))
                  .contains("master_link_status:up"));
    }
  }

  private static boolean isWell(String node) {
    return RedisCall.on(node, RedisCommands::clusterInfo).contains("cluster_state:ok");
  }

  private static long knownTo(String node) {
    return RedisCall.on(node, RedisCommands::clusterNodes).lines().count();
  }

  private String clusterNodes() {
    var node = nodes().stream().filter(RedisCluster::answers).findAny().orElseThrow();
    return RedisCall.on(node, RedisCommands::clusterNodes);
  }

  private static boolean hasSlot(String line, int slot) {
    return Stream.of(line.split(" "))
        .skip(8)
        .filter(part -> !part.startsWith("["))
        .anyMatch(
            part -> {
              var ends = part.split("-");
              return Integer.parseInt(ends[0]) <= slot
                  && slot <= Integer.parseInt(ends[ends.length - 1]);
            });
  }

  /// CLUSTER MEET with the port of the bus, for which Lettuce has no method.
  private void introduce(int index) {
    var arguments =
        new CommandArgs<>(StringCodec.UTF8)
            .add("MEET")
            .add("127.0.0.1")
            .add(all.get(index).port())
            .add(all.get(index).busPort());
    RedisCall.on(
        nodes().getFirst(),
        redis ->
            redis.dispatch(CommandType.CLUSTER, new StatusOutput<>(StringCodec.UTF8), arguments));
  }

  private static boolean answers(String node) {
    try {
      return RedisCall.on(node, RedisCommands::ping).equals("PONG");
    } catch (RedisException e) {
      return false;
    }
  }
}
