package io.holdfast.testing;

import io.holdfast.app.Service;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// Instances of the service for tests that need another one than `RealServers` gives.
public final class Instances {
  private Instances() {}

  /// @param data a folder of its own
  /// @param more settings that win over those of the servers
  public static Service start(TestServers servers, Path data, Map<String, Object> more) {
    var settings = new HashMap<>(servers.settings());
    settings.put("holdfast.data", data.toString());
    settings.put("holdfast.rate-limit", 0);
    settings.putAll(more);
    return Service.start(settings);
  }

  /// From now on journals are drained only by those who read pages of holds, and by seeding. Waits
  /// for the batch that is under way.
  public static void stopDraining(Service service) {
    TaskControl.stop(service.context().getBean(PeriodicTasks.class), "journal-drain");
  }
}
