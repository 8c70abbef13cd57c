package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An invalid setting stops the start, and the defaults are safe.
@ExtendWith(RealServers.class)
class WebhookSettingsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "holdfast.webhook-timeout | 1ms",
        "holdfast.webhook-lanes | 0",
        "holdfast.webhook-retries | 5s,soon",
        "holdfast.webhook-retries | 5s,0s",
        "holdfast.webhook-log | 1s",
        "holdfast.webhooks-private | perhaps"
      })
  void an_invalid_setting_stops_the_start(String setting, String value, TestServers servers) {
    assertThatThrownBy(() -> RealServers.start(servers, Map.of(setting, value)))
        .hasStackTraceContaining(setting);
  }

  @Test
  void by_default_private_addresses_are_forbidden_and_retries_follow_standard_webhooks(
      Service service) {
    var settings = service.context().getBean(WebhookSettings.class);

    assertThat(settings.isPrivateAllowed()).isFalse();
    assertThat(settings.retries()).hasSize(9).startsWith(Duration.ofSeconds(5));
    assertThat(settings.retries()).endsWith(Duration.ofHours(24)).isSorted();
  }
}
