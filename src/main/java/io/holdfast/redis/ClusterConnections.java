package io.holdfast.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/// A connection for each node, opened with the first call to it and closed when it has left. No
/// call follows a redirect, because it carries the run id of the node that it was meant for.
final class ClusterConnections implements ConnectionRouter {
  private static final Duration REFRESH_PAUSE = Duration.ofMillis(100);
  private static final Duration REFRESH_TIMEOUT = Duration.ofSeconds(2);

  private final RedisClusterClient cluster;
  private final List<EventLoop> loops;
  private final ClientResources resources;
  private final RedisSettings settings;
  private final Map<RedisURI, EventLoopConnection> connections = new ConcurrentHashMap<>();
  private final AtomicInteger made = new AtomicInteger();
  private final AtomicReference<Refresh> last = new AtomicReference<>(new Refresh());

  ClusterConnections(
      RedisClusterClient cluster,
      List<EventLoop> loops,
      ClientResources resources,
      RedisSettings settings) {
    this.cluster = cluster;
    this.loops = loops;
    this.resources = resources;
    this.settings = settings;
    last.get().done.complete(null);
  }

  @Override
  public EventLoopConnection of(String key) {
    var node = cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
    if (node == null) {
      throw RedisUnavailable.notSent("no node of the cluster has the slot of " + key);
    }
    var connection = connections.get(node.getUri());
    return connection != null
        ? connection
        : connections.computeIfAbsent(node.getUri(), this::connection);
  }

  private EventLoopConnection connection(RedisURI node) {
    var loop = loops.get(Math.floorMod(made.getAndIncrement(), loops.size()));
    return new EventLoopConnection(LoopResources.of(resources, loop), node, loop, settings);
  }

  /// Reads from the cluster which node has which slots. Calls during a refresh or shortly after it
  /// share its result, because a lost node fails many calls at once.
  @Override
  public CompletionStage<?> refresh() {
    var before = last.get();
    if (!before.isStale()) {
      return before.done;
    }
    var refresh = new Refresh();
    if (!last.compareAndSet(before, refresh)) {
      return last.get().done;
    }
    cluster
        .refreshPartitionsAsync()
        .toCompletableFuture()
        .orTimeout(REFRESH_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (_, _) -> { // after a failure the known nodes stay
              closeRemovedNodes();
              refresh.done.complete(null);
            });
    return refresh.done;
  }

  private void closeRemovedNodes() {
    var present =
        cluster.getPartitions().stream()
            .map(RedisClusterNode::getUri)
            .collect(Collectors.toUnmodifiableSet());
    connections.forEach(
        (node, connection) -> {
          if (!present.contains(node) && connections.remove(node, connection)) {
            connection.close();
          }
        });
  }

  @Override
  public void close() {
    connections.values().forEach(EventLoopConnection::close);
  }

  /// One refresh.
  private static final class Refresh {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final long since = System.nanoTime();

    boolean isStale() {
      return done.isDone() && System.nanoTime() - since > REFRESH_PAUSE.toNanos();
    }
  }
}
