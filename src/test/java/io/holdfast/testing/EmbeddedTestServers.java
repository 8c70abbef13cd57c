package io.holdfast.testing;

import io.holdfast.embedded.DataFolder;
import io.holdfast.embedded.EmbeddedServers;
import io.holdfast.runtime.StartFailure;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The embedded servers, started as the service starts them.
final class EmbeddedTestServers implements ServerSource {
  private static final int MASTERS = 3;
  private static final int FOLDERS_MAX = 8;

  private final DataFolder folder = anyFree();
  private final EmbeddedServers servers =
      new EmbeddedServers(folder, Folders.binaries(), EmbeddedTestServers::fail);

  private @Nullable RedisCluster cluster;

  /// One server, or a cluster if `holdfast.test.cluster` is set.
  @Override
  public String redis() {
    if (Boolean.getBoolean("holdfast.test.cluster")) {
      cluster = RedisCluster.start(folder.path().resolve("cluster"), MASTERS, MASTERS);
      return cluster.uri();
    }
    var address = servers.addRedis();
    servers.launch();
    servers.awaitReady();
    return address;
  }

  @Override
  public String postgres() {
    var address = servers.addPostgres();
    servers.launch();
    servers.awaitReady();
    return address;
  }

  Path path() {
    return folder.path();
  }

  @Override
  public void close() {
    if (cluster != null) {
      cluster.close();
    }
    servers.close();
    folder.close();
  }

  /// Several test processes may run at once, each with its own servers.
  private static DataFolder anyFree() {
    StartFailure last = null;
    for (var number = 1; number <= FOLDERS_MAX; number++) {
      try {
        return DataFolder.take(Folders.build().resolve("test-servers-" + number));
      } catch (StartFailure e) {
        last = e;
      }
    }
    throw last;
  }

  private static void fail(String why) {
    throw new IllegalStateException(why);
  }
}
