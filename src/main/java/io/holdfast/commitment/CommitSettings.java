package io.holdfast.commitment;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import java.time.Duration;

/// How sales share transactions.
///
/// @param workers how many transactions run at a time
/// @param batchMax how many sales one transaction takes
/// @param queueMax how many may wait or run; the next one is refused at once
/// @param inflightWait how long a call waits for another one under its token or on its hold
public record CommitSettings(int workers, int batchMax, int queueMax, Duration inflightWait) {

  public CommitSettings {
    InvalidSetting.unlessBetween("holdfast.commit-workers", 1, 64, workers);
    InvalidSetting.unlessBetween("holdfast.commit-batch", 1, 1_000, batchMax);
    InvalidSetting.unlessBetween("holdfast.commit-queue", 1, 1_000_000, queueMax);
    InvalidSetting.unlessBetween(
        "holdfast.inflight-wait", Duration.ofMillis(50), Duration.ofMinutes(1), inflightWait);
  }

  /// Reads the settings at the start, so that an invalid one stops the service.
  @Factory
  static final class Reader {

    @Context
    CommitSettings commitSettings(Settings settings) {
      return new CommitSettings(
          settings.number("holdfast.commit-workers", 4),
          settings.number("holdfast.commit-batch", 64),
          settings.number("holdfast.commit-queue", 4_096),
          settings.duration("holdfast.inflight-wait", Duration.ofSeconds(2)));
    }
  }
}
