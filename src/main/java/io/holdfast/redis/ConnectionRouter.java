package io.holdfast.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/// The lanes to Redis: which one a call takes.
sealed interface ConnectionRouter extends AutoCloseable
    permits ConnectionRouter.ToServer, ClusterConnections {

  EventLoopConnection of(String key);

  /// After a node has said that it is not responsible any more, or does not answer.
  CompletionStage<?> refresh();

  @Override
  void close();

  /// One server: a lane for each event loop, and whoever is on a loop takes its own.
  static ConnectionRouter toServer(
      RedisURI server, List<EventLoop> loops, ClientResources resources, RedisSettings settings) {
    var lanes =
        loops.stream()
            .map(
                loop ->
                    new EventLoopConnection(
                        LoopResources.of(resources, loop), server, loop, settings))
            .toList();
    var isEach = lanes.stream().map(lane -> lane.firstWire().toCompletableFuture());
    try {
      CompletableFuture.allOf(isEach.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      lanes.forEach(EventLoopConnection::close);
      throw e;
    }
    return new ToServer(lanes.toArray(EventLoopConnection[]::new));
  }

  /// A cluster: a lane for each node, made when a call first needs it. No call follows a redirect,
  /// because it carries the run id of the node that it was meant for.
  static ConnectionRouter toCluster(
      RedisClusterClient cluster,
      List<EventLoop> loops,
      ClientResources resources,
      RedisSettings settings) {
    return new ClusterConnections(cluster, loops, resources, settings);
  }

  record ToServer(EventLoopConnection[] lanes) implements ConnectionRouter {

    @Override
    public EventLoopConnection of(String key) {
      for (var lane : lanes) {
        if (lane.loop().inEventLoop()) {
          return lane;
        }
      }
      return lanes[ThreadLocalRandom.current().nextInt(lanes.length)];
    }

    @Override
    public CompletionStage<?> refresh() {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {
      for (var lane : lanes) {
        lane.close();
      }
    }
  }
}
