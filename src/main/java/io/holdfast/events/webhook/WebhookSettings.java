package io.holdfast.events.webhook;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.core.convert.ConversionService;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// Settings of webhook deliveries.
///
/// @param isPrivateAllowed whether receivers may be in private networks and without TLS
/// @param timeout limit of a whole call
/// @param lanes the number of pools whose events one webhook gets at a time
/// @param retries the pauses between attempts; after the last one the webhook is disabled
/// @param keepLog how long attempts are kept in the log
record WebhookSettings(
    boolean isPrivateAllowed,
    Duration timeout,
    int lanes,
    List<Duration> retries,
    Duration keepLog) {

  /// The recommendation of Standard Webhooks.
  private static final String RETRIES = "5s,5m,30m,2h,5h,10h,14h,20h,24h";

  private static final int RETRIES_MAX = 50;
  private static final Duration DAY = Duration.ofDays(1);

  WebhookSettings {
    InvalidSetting.unlessBetween(
        "holdfast.webhook-timeout", Duration.ofMillis(100), Duration.ofMinutes(1), timeout);
    InvalidSetting.unlessBetween("holdfast.webhook-lanes", 1, 256, lanes);
    InvalidSetting.unlessBetween("holdfast.webhook-retries", 1, RETRIES_MAX, retries.size());
    for (var pause : retries) {
      InvalidSetting.unlessBetween(
          "holdfast.webhook-retries", Duration.ofMillis(1), DAY.multipliedBy(7), pause);
    }
    InvalidSetting.unlessBetween(
        "holdfast.webhook-log", Duration.ofMinutes(1), DAY.multipliedBy(365), keepLog);
    retries = List.copyOf(retries);
  }

  static WebhookSettings of(Settings settings) {
    return new WebhookSettings(
        settings.flag("holdfast.webhooks-private", false),
        settings.duration("holdfast.webhook-timeout", Duration.ofSeconds(15)),
        settings.number("holdfast.webhook-lanes", 16),
        retries(settings.text("holdfast.webhook-retries").orElse(RETRIES)),
        settings.duration("holdfast.webhook-log", Duration.ofDays(3)));
  }

  /// Created at the start, so that a wrong setting stops it.
  @Factory
  static final class Beans {
    @Context
    WebhookSettings webhookSettings(Settings settings) {
      return of(settings);
    }
  }

  private static List<Duration> retries(String text) {
    return Stream.of(text.split(",")).map(String::strip).map(WebhookSettings::pause).toList();
  }

  private static Duration pause(String text) {
    return ConversionService.SHARED
        .convert(text, Duration.class)
        .orElseThrow(
            () ->
                new InvalidSetting(
                    "holdfast.webhook-retries", "must be durations such as 5s,5m,2h", text));
  }
}
