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

/// Chooses the connection of a call.
sealed interface ConnectionRouter extends AutoCloseable
    permits ConnectionRouter.ToServer, ClusterConnections {

  EventLoopConnection of(String key);

  /// Called when a node redirects a call or does not reply.
  CompletionStage<?> refresh();

  @Override
  void close();

  /// One server: one connection for each event loop. A call on a loop uses that of its loop.
  static ConnectionRouter toServer(
      RedisURI server, List<EventLoop> loops, ClientResources resources, RedisSettings settings) {
    var connections =
        loops.stream()
            .map(
                loop ->
                    new EventLoopConnection(
                        LoopResources.of(resources, loop), server, loop, settings))
            .toList();
    var opened =
        connections.stream().map(connection -> connection.firstConnection().toCompletableFuture());
    try {
      CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      connections.forEach(EventLoopConnection::close);
      throw e;
    }
    return new ToServer(connections.toArray(EventLoopConnection[]::new));
  }

  /// A cluster: one connection for each node.
  static ConnectionRouter toCluster(
      RedisClusterClient cluster,
      List<EventLoop> loops,
      ClientResources resources,
      RedisSettings settings) {
    return new ClusterConnections(cluster, loops, resources, settings);
  }

  record ToServer(EventLoopConnection[] connections) implements ConnectionRouter {

    @Override
    public EventLoopConnection of(String key) {
      for (var connection : connections) {
        if (connection.loop().inEventLoop()) {
          return connection;
        }
      }
      return connections[ThreadLocalRandom.current().nextInt(connections.length)];
    }

    @Override
    public CompletionStage<?> refresh() {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {
      for (var connection : connections) {
        connection.close();
      }
    }
  }
}
