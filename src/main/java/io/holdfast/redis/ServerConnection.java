package io.holdfast.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionStage;

/// One connection, which is not reconnected when it is lost, and the run id of its server.
record ServerConnection(StatefulRedisConnection<String, String> connection, RunId runId) {

  /// Reads the run id on this connection. Refuses a server that evicts keys.
  static CompletionStage<ServerConnection> on(StatefulRedisConnection<String, String> connection) {
    return connection
        .async()
        .info()
        .thenApply(RedisServerInfo::parse)
        .thenApply(
            facts -> {
              if (facts.evicts()) {
                throw new RedisException("it evicts keys and would lose holds");
              }
              return new ServerConnection(connection, facts.runId());
            })
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                connection.closeAsync();
              }
            });
  }

  void onEnd(Runnable action) {
    connection.addListener(
        new RedisConnectionStateAdapter() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
            action.run();
          }
        });
  }
}
