package io.holdfast.testing;

import io.holdfast.embedded.EmbeddedServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A cluster of masters, made of the embedded Redis.
public final class RedisCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int SLOTS = 16_384;

  private final List<Process> processes = new ArrayList<>();
  private final List<Integer> ports;
  private final List<Integer> busPorts;

  private RedisCluster(Path folder, int size) {
    try {
      ports = Stream.generate(EmbeddedServers::freePort).limit(size).toList();
      busPorts = Stream.generate(EmbeddedServers::freePort).limit(size).toList();
      for (var index = 0; index < size; index++) {
        startNode(index, Files.createDirectories(folder.resolve("node-" + index)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static RedisCluster start(Path folder, int size) {
    var cluster = new RedisCluster(folder, size);
    try {
      cluster.join();
      return cluster;
    } catch (AssertionError | RuntimeException e) {
      cluster.close(); // what did not become a cluster must not stay
      throw e;
    }
  }

  public List<String> nodes() {
    return ports.stream().map(port -> "redis://127.0.0.1:" + port).toList();
  }

  public long keysOf(String node) {
    return on(node, RedisCommands::dbsize);
  }

  public void configure(String node, String setting, String value) {
    on(node, redis -> redis.configSet(setting, value));
  }

  @Override
  public void close() {
    processes.forEach(process -> process.destroyForcibly().onExit().join());
  }

  private void startNode(int index, Path folder) throws IOException {
    var program = EmbeddedServers.redisExecutable(Folders.binaries());
    var settings =
        """
        port %d
        cluster-port %d
        bind 127.0.0.1
        dir "%s"
        cluster-enabled yes
        cluster-node-timeout 2000
        maxmemory-policy noeviction
        save ""
        """
            .formatted(ports.get(index), busPorts.get(index), folder);
    var file = Files.writeString(folder.resolve("redis.conf"), settings);
    processes.add(
        new ProcessBuilder(program.toString(), file.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start());
  }

  private void join() {
    for (var index = 0; index < ports.size(); index++) {
      var node = nodes().get(index);
      var slots = IntStream.range(index * SLOTS / ports.size(), (index + 1) * SLOTS / ports.size());
      Await.until(PATIENCE, () -> answers(node));
      on(node, redis -> redis.clusterAddSlots(slots.toArray()));
    }
    for (var index = 0; index < ports.size(); index++) {
      introduce(index);
    }
    for (var node : nodes()) {
      Await.until(PATIENCE, () -> knowsAll(node));
    }
  }

  private boolean knowsAll(String node) {
    return on(node, RedisCommands::clusterInfo).contains("state:ok")
        && on(node, RedisCommands::clusterNodes).lines().count() == ports.size();
  }

  /// CLUSTER MEET with the port of the cluster's own bus, which Lettuce has no method for.
  private void introduce(int index) {
    var arguments =
        new CommandArgs<>(StringCodec.UTF8)
            .add("MEET")
            .add("127.0.0.1")
            .add(ports.get(index))
            .add(busPorts.get(index));
    on(
        nodes().getFirst(),
        redis ->
            redis.dispatch(CommandType.CLUSTER, new StatusOutput<>(StringCodec.UTF8), arguments));
  }

  private static boolean answers(String node) {
    try {
      return on(node, RedisCommands::ping).equals("PONG");
    } catch (RedisException e) {
      return false;
    }
  }

  private static <T> T on(String node, Function<RedisCommands<String, String>, T> work) {
    try (var client = RedisClient.create(node);
        var connection = client.connect()) {
      return work.apply(connection.sync());
    }
  }
}
