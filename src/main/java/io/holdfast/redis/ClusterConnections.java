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

/// A lane for each node, made when a call first needs it, and closed when the node has left. No
/// call follows a redirect, because it carries the run id of the node that it was meant for.
final class ClusterConnections implements ConnectionRouter {
  private static final Duration LOOK_PAUSE = Duration.ofMillis(100);
  private static final Duration LOOK_PATIENCE = Duration.ofSeconds(2);

  private final RedisClusterClient cluster;
  private final List<EventLoop> loops;
  private final ClientResources resources;
  private final RedisSettings settings;
  private final Map<RedisURI, EventLoopConnection> lanes = new ConcurrentHashMap<>();
  private final AtomicInteger made = new AtomicInteger();
  private final AtomicReference<Look> last = new AtomicReference<>(new Look());

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
    var lane = lanes.get(node.getUri());
    return lane != null ? lane : lanes.computeIfAbsent(node.getUri(), this::lane);
  }

  private EventLoopConnection lane(RedisURI node) {
    var loop = loops.get(Math.floorMod(made.getAndIncrement(), loops.size()));
    return new EventLoopConnection(LoopResources.of(resources, loop), node, loop, settings);
  }

  /// Asks the cluster who has which slots by now. Whoever wants to know that while somebody asks,
  /// or just after, shares the answer: a node that is gone fails a thousand calls at once.
  @Override
  public CompletionStage<?> refresh() {
    var before = last.get();
    if (!before.isStale()) {
      return before.done;
    }
    var look = new Look();
    if (!last.compareAndSet(before, look)) {
      return last.get().done;
    }
    cluster
        .refreshPartitionsAsync()
        .toCompletableFuture()
        .orTimeout(LOOK_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (_, _) -> { // if nobody tells, what was known stands
              closeThoseThatLeft();
              look.done.complete(null);
            });
    return look.done;
  }

  private void closeThoseThatLeft() {
    var present =
        cluster.getPartitions().stream()
            .map(RedisClusterNode::getUri)
            .collect(Collectors.toUnmodifiableSet());
    lanes.forEach(
        (node, lane) -> {
          if (!present.contains(node) && lanes.remove(node, lane)) {
            lane.close();
          }
        });
  }

  @Override
  public void close() {
    lanes.values().forEach(EventLoopConnection::close);
  }

  /// One look at the cluster.
  private static final class Look {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final long since = System.nanoTime();

    boolean isStale() {
      return done.isDone() && System.nanoTime() - since > LOOK_PAUSE.toNanos();
    }
  }
}
