package io.holdfast.testing;

import io.holdfast.embedded.DataFolder;
import io.holdfast.embedded.EmbeddedServers;
import java.nio.file.Path;

/// The servers that the product brings along, started as the product starts them.
final class EmbeddedTestServers implements ServerSource {
  private final DataFolder folder = DataFolder.take(Folders.build().resolve("test-servers"));
  private final EmbeddedServers servers =
      new EmbeddedServers(folder, Folders.binaries(), EmbeddedTestServers::fail);

  @Override
  public String redis() {
    var address = servers.launchRedis();
    servers.awaitReady();
    return address;
  }

  @Override
  public String postgres() {
    var address = servers.launchPostgres();
    servers.awaitReady();
    return address;
  }

  Path path() {
    return folder.path();
  }

  @Override
  public void close() {
    servers.close();
    folder.close();
  }

  private static void fail(String why) {
    throw new IllegalStateException(why);
  }
}
