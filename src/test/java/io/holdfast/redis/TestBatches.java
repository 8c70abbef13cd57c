package io.holdfast.redis;

import io.holdfast.runtime.PeriodicTasks;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/// Batches over scripts that a test watches or breaks.
public final class TestBatches {
  private static final BatchSettings PATIENT = new BatchSettings(Duration.ofSeconds(30), 8_192);

  private TestBatches() {}

  public static ScriptBatches of(RedisScripts scripts) {
    var meters = new SimpleMeterRegistry();
    return new ScriptBatches(scripts, PATIENT, new PeriodicTasks(meters), meters);
  }
}
