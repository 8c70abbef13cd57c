package io.holdfast.idempotency.http;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.idempotency.Token;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The settings of idempotent requests.
///
/// @param tokenMaxLength of a token, in bytes
/// @param idempotencyWindow how long the first answer is replayed on routes without a pool; each
///   pool has a window of its own
/// @param entryVersion in which entries of tokens are written; older ones are read too
/// @param slowestRetry how late a retry may arrive; neither this window nor that of a new pool may
///   be shorter
public record RequestSettings(
    int tokenMaxLength,
    Duration idempotencyWindow,
    EntryVersion entryVersion,
    Duration slowestRetry) {

  public RequestSettings {
    InvalidSetting.unlessBetween("holdfast.token-max-length", 36, 4_096, tokenMaxLength);
    InvalidSetting.unlessBetween(
        "holdfast.idempotency-window",
        Duration.ofSeconds(1),
        Duration.ofDays(7),
        idempotencyWindow);
    if (idempotencyWindow.compareTo(slowestRetry) < 0) {
      throw new InvalidSetting(
          "holdfast.slowest-retry",
          "must not be longer than holdfast.idempotency-window, which is %d s"
              .formatted(idempotencyWindow.toSeconds()),
          slowestRetry.toSeconds() + " s");
    }
  }

  static RequestSettings of(Settings settings) {
    return new RequestSettings(
        settings.number("holdfast.token-max-length", Token.LENGTH_MAX_DEFAULT),
        settings.duration("holdfast.idempotency-window", Duration.ofMinutes(1)),
        entryVersion(
            settings.text("holdfast.digest-function").orElse(EntryVersion.NEWEST.id()).strip()),
        settings.duration("holdfast.slowest-retry", Duration.ZERO));
  }

  private static EntryVersion entryVersion(String id) {
    return EntryVersion.of(id)
        .orElseThrow(
            () ->
                new InvalidSetting(
                    "holdfast.digest-function",
                    "must be one of "
                        + Stream.of(EntryVersion.values())
                            .map(EntryVersion::id)
                            .collect(Collectors.joining(", ")),
                    id));
  }
}
