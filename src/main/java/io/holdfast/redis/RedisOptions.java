package io.holdfast.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;

/// The options of all connections, also where they are Lettuce's defaults. Commands are rejected
/// while disconnected: otherwise Lettuce would run a command whose reply was lost a second time
/// after the reconnect.
final class RedisOptions {
  private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(30);
  private static final int REDIRECTS_MAX = 5;

  private RedisOptions() {}

  static ClientOptions forServer(RedisSettings settings) {
    return common(ClientOptions.builder(), settings).build();
  }

  /// `EventLoopConnection` reconnects and times out by itself: one timer per command costs more
  /// than the command.
  static ClientOptions forEventLoop(RedisSettings settings) {
    return common(ClientOptions.builder(), settings)
        .autoReconnect(false)
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
        .build();
  }

  static ClusterClientOptions forCluster(RedisSettings settings) {
    var refresh =
        ClusterTopologyRefreshOptions.builder()
            .enablePeriodicRefresh(TOPOLOGY_REFRESH)
            .enableAllAdaptiveRefreshTriggers()
            .build();
    var builder =
        ClusterClientOptions.builder()
            .topologyRefreshOptions(refresh)
            .maxRedirects(REDIRECTS_MAX)
            .validateClusterNodeMembership(false);
    common(builder, settings);
    return builder.build();
  }

  private static ClientOptions.Builder common(
      ClientOptions.Builder builder, RedisSettings settings) {
    return builder
        .autoReconnect(true)
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .pingBeforeActivateConnection(true)
        .requestQueueSize(settings.queueSize())
        .timeoutOptions(TimeoutOptions.enabled(settings.commandTimeout()))
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(settings.connectTimeout())
                .keepAlive(
                    KeepAliveOptions.builder()
                        .enable(true)
                        .idle(Duration.ofSeconds(5))
                        .interval(Duration.ofSeconds(2))
                        .count(3)
                        .build())
                .tcpNoDelay(true)
                .build());
  }
}
