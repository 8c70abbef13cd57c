package io.holdfast.testing;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import java.util.stream.Stream;

/// The commands of a single server, executed on a cluster, which supports nearly all of them.
final class ClusterCommands {
  private ClusterCommands() {}

  /// @param uris of the nodes, separated by commas
  static <T> T on(String uris, Function<RedisCommands<String, String>, T> work) {
    var nodes = Stream.of(uris.split(",")).map(RedisURI::create).toList();
    try (var client = RedisClusterClient.create(nodes);
        var connection = client.connect()) {
      return work.apply(asOfOneServer(connection.sync()));
    }
  }

  @SuppressWarnings("unchecked")
  private static RedisCommands<String, String> asOfOneServer(Object cluster) {
    return (RedisCommands<String, String>)
        Proxy.newProxyInstance(
            ClusterCommands.class.getClassLoader(),
            new Class<?>[] {RedisCommands.class},
            (_, method, arguments) -> {
              try {
                return cluster
                    .getClass()
                    .getMethod(method.getName(), method.getParameterTypes())
                    .invoke(cluster, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
