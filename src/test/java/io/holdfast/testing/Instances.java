package io.holdfast.testing;

import io.holdfast.app.Service;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// Starts instances of the service beside the one of `RealServers`.
public final class Instances {
  private Instances() {}

  /// @param data the data folder of the instance
  /// @param more settings, which override those of the servers
  public static Service start(TestServers servers, Path data, Map<String, Object> more) {
    var settings = new HashMap<>(servers.settings());
    settings.put("holdfast.data", data.toString());
    settings.put("holdfast.rate-limit", 0);
    settings.putAll(RealServers.PATIENT);
    settings.putAll(more);
    return Service.start(settings);
  }

  /// Stops the drain loop and waits for the running batch. Reading a page of holds and seeding
  /// still drain.
  public static void stopDraining(Service service) {
    TaskControl.stop(service.context().getBean(PeriodicTasks.class), "journal-drain");
  }
}
