package io.holdfast.redis;

import io.holdfast.runtime.StartFailure;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens all connections to Redis, to a single server or to a cluster; the server says which it is.
/// Refuses a Redis that evicts keys, because an evicted hold would free its seat without a trace.
public final class RedisConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RedisConnections.class);

  private static final Duration BUSY_TIMEOUT = Duration.ofSeconds(10);

  private final ClientResources resources;
  private final AbstractRedisClient client;
  private final StatefulConnection<String, String> connection;
  private final RedisClusterAsyncCommands<String, String> commands;
  private final ConnectionRouter router;

  private RedisConnections(
      ClientResources resources,
      AbstractRedisClient client,
      StatefulConnection<String, String> connection,
      RedisClusterAsyncCommands<String, String> commands,
      ConnectionRouter router) {
    this.resources = resources;
    this.client = client;
    this.connection = connection;
    this.commands = commands;
    this.router = router;
  }

  /// Returns when all connections are open and all servers have suitable settings.
  ///
  /// @param loops the event loops of the HTTP server, on which scripts are called
  public static RedisConnections open(RedisSettings settings, List<EventLoop> loops) {
    var resources = resources(settings);
    try {
      var link = connectRetrying(settings, resources, loops);
      LOG.debug("Redis at {} answers", addresses(settings.nodes()));
      return link;
    } catch (RedisException | CompletionException e) {
      shutDown(resources);
      throw new StartFailure(
          "Redis at %s cannot be reached (%s); start it, or set REDIS_URI to its address."
              .formatted(addresses(settings.nodes()), rootMessage(e)),
          e);
    } catch (StartFailure e) {
      shutDown(resources);
      throw e;
    }
  }

  /// For plain commands. The keys of one command share a hash tag, as a cluster requires.
  public RedisClusterAsyncCommands<String, String> commands() {
    return commands;
  }

  ConnectionRouter router() {
    return router;
  }

  StatefulConnection<String, String> connection() {
    return connection;
  }

  @Override
  public void close() {
    router.close();
    connection.close();
    client.shutdown();
    shutDown(resources);
  }

  private static ClientResources resources(RedisSettings settings) {
    return ClientResources.builder()
        .nettyCustomizer(
            new NettyCustomizer() {
              @Override
              public void afterChannelInitialized(Channel channel) {
                channel.pipeline().addFirst(new DeadConnectionWatchdog(settings.silenceMax()));
              }
            })
        .build();
  }

  /// Tries again while Redis is busy: its first reply may take longer than the timeout of a
  /// command. A Redis that is not running fails at once.
  private static RedisConnections connectRetrying(
      RedisSettings settings, ClientResources resources, List<EventLoop> loops) {
    var since = System.nanoTime();
    while (true) {
      try {
        return connect(settings, resources, loops);
      } catch (RedisException e) {
        if (!isBusy(e) || System.nanoTime() - since > BUSY_TIMEOUT.toNanos()) {
          throw e;
        }
        LOG.info("Redis at {} is busy; connecting again", addresses(settings.nodes()));
      }
    }
  }

  /// Whether Redis is reachable and has refused nothing, but does not reply in time.
  private static boolean isBusy(Throwable e) {
    for (var cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException || cause instanceof RedisCommandExecutionException) {
        return false;
      }
    }
    return true;
  }

  private static RedisConnections connect(
      RedisSettings settings, ClientResources resources, List<EventLoop> loops) {
    var single = RedisClient.create(resources);
    single.setOptions(RedisOptions.forServer(settings));
    try {
      var nodes = settings.nodes();
      var connection = connectAny(single, nodes);
      var facts = suitable(connection, nodes.getFirst());
      if (!facts.isCluster() && nodes.size() == 1) {
        var router = ConnectionRouter.toServer(nodes.getFirst(), loops, resources, settings);
        return new RedisConnections(resources, single, connection, connection.async(), router);
      }
      connection.close();
      single.shutdown();
      if (!facts.isCluster()) {
        throw new StartFailure(
            "REDIS_URI lists %d servers, but %s is not part of a cluster; name one server."
                .formatted(nodes.size(), addresses(nodes.subList(0, 1))));
      }
      return connectCluster(settings, resources, loops);
    } catch (RedisException | CompletionException | StartFailure e) {
      single.shutdown(); // before the timers that its connections use
      throw e;
    }
  }

  private static StatefulRedisConnection<String, String> connectAny(
      RedisClient client, List<RedisURI> nodes) {
    RedisException last = null;
    for (var node : nodes) {
      try {
        return client.connect(node);
      } catch (RedisException e) {
        last = e;
      }
    }
    throw last == null ? new RedisException("no address given") : last;
  }

  private static RedisConnections connectCluster(
      RedisSettings settings, ClientResources resources, List<EventLoop> loops) {
    var cluster = RedisClusterClient.create(resources, settings.nodes());
    cluster.setOptions(RedisOptions.forCluster(settings));
    try {
      StatefulRedisClusterConnection<String, String> connection = cluster.connect();
      for (var node : connection.getPartitions()) {
        if (node.is(NodeFlag.UPSTREAM) && !node.hasNoSlots()) { // a failed master has none
          suitable(connection.getConnection(node.getNodeId()), node.getUri());
        }
      }
      var router = ConnectionRouter.toCluster(cluster, loops, resources, settings);
      return new RedisConnections(resources, cluster, connection, connection.async(), router);
    } catch (RedisException | StartFailure e) {
      cluster.shutdown();
      throw e;
    }
  }

  private static RedisServerInfo suitable(
      StatefulRedisConnection<String, String> connection, RedisURI node) {
    var facts = RedisServerInfo.parse(connection.sync().info());
    if (facts.evicts()) {
      throw new StartFailure(
          "Redis at %s evicts keys (maxmemory-policy %s) and would drop holds without a trace; set its maxmemory-policy to noeviction."
              .formatted(addresses(List.of(node)), facts.evictionPolicy()));
    }
    return facts;
  }

  /// Addresses without the credentials that a URI may carry.
  private static String addresses(List<RedisURI> nodes) {
    return String.join(", ", nodes.stream().map(n -> n.getHost() + ":" + n.getPort()).toList());
  }

  private static String rootMessage(Throwable e) {
    var root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }

  private static void shutDown(ClientResources resources) {
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
