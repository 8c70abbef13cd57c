package io.holdfast.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An invalid setting stops the start with a sentence that names it and shows no secret.
@ExtendWith(RealServers.class)
class PaymentSettingsTest {
  private final TestServers servers;

  PaymentSettingsTest(TestServers servers) {
    this.servers = servers;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          holdfast.payment-timeout   | 10ms                      | must lie between 50 ms
          holdfast.payment-calls     | 0                         | must lie between 1 and
          holdfast.payment-url       | ftp://pay.example/SECRET  | must be https://host/path
          holdfast.payment-url       | https://a:SECRET@pay.example | must be https://host/path
          holdfast.payment-url       | https://pay.example?k=SECRET | must be https://host/path
          holdfast.payment-url       | https://                  | must be https://host/path
          holdfast.payment-provider  | simulator                 | and not simulator
          holdfast.payment-provider  | a/b                       | must be 1 to 64 letters
          holdfast.payment-key       | SECRET key                | visible ASCII
          holdfast.payment-key       | ''                        | is needed by holdfast.payment-url
          holdfast.payment-methods   | card,,cash                | must be 1 to 100 words
          holdfast.payment-methods   | ''                        | is needed by holdfast.payment-url
          holdfast.payment-secret    | whsec_SECRET              | 24 to 64 bytes
          holdfast.payment-secret    | SECRETSECRETSECRETSECRETSECRETSE | must be whsec_
          holdfast.payment-secret    | whsec_SECRET!SECRET!SECRET!SECRET! | 24 to 64 bytes
          """)
  void a_wrong_setting_stops_the_start(String name, String value, String rule) {
    var settings = new HashMap<>(provider());
    settings.put(name, value);

    assertThatThrownBy(() -> RealServers.start(servers, settings).close())
        .isInstanceOf(StartFailure.class)
        .hasMessageContainingAll(name, rule)
        .message()
        .doesNotContain("SECRET!", "SECRETSECRET", "SECRET key", "/SECRET", "_SECRET,", ":SECRET");
  }

  @Test
  void settings_of_a_provider_need_its_url() {
    assertThatThrownBy(
            () -> RealServers.start(servers, Map.of("holdfast.payment-key", "SECRET")).close())
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("needs holdfast.payment-url as well")
        .message()
        .doesNotContain("SECRET.");
  }

  @Test
  void without_settings_there_is_no_provider(Service service) {
    var gateways = service.context().getBean(GatewayRegistry.class);

    assertThat(gateways.find("simulator")).isEmpty();
    assertThat(gateways.find("http")).isEmpty();
    assertThat(Http.post(service.http(), "/v1/payments/simulator/notices", "{}").statusCode())
        .isEqualTo(404);
  }

  @Test
  void a_provider_has_a_name_without_being_given_one() {
    try (var service = RealServers.start(servers, provider())) {
      var gateways = service.context().getBean(GatewayRegistry.class);

      assertThat(gateways.find("http").orElseThrow().accepts("card")).isTrue();
      assertThat(gateways.find("simulator")).isEmpty();
    }
  }

  private static Map<String, Object> provider() {
    return Map.of(
        "holdfast.payment-url", "https://pay.example",
        "holdfast.payment-key", "k",
        "holdfast.payment-methods", "card",
        "holdfast.payment-secret", PaymentFixture.SECRET);
  }
}
