package io.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A name that begins with `holdfast` and is not that of a setting stops the start, since the
/// service would run with the default of the setting that was meant.
@ExtendWith(RealServers.class)
class SettingNamesTest {
  private static final SettingNames NAMES = SettingNames.ofThePage();

  @ParameterizedTest
  @CsvSource({
    "holdfast.hold-wiat, HOLDFAST_HOLD_WAIT",
    "holdfast.hold.wait, HOLDFAST_HOLD_WAIT",
    "holdfast.hold_wait, HOLDFAST_HOLD_WAIT",
    "holdfast.holdWait, HOLDFAST_HOLD_WAIT",
    "holdfast.Port, HOLDFAST_PORT",
    "holdfast.prot, HOLDFAST_PORT",
    "holdfast.operatorkey, HOLDFAST_OPERATOR_KEY",
    "holdfast.cors-origin, HOLDFAST_CORS_ORIGINS",
    "holdfast.metric-key, HOLDFAST_METRICS_KEY",
  })
  void a_misspelt_property_stops_the_start_and_the_nearest_one_is_named(
      String name, String variable, TestServers servers) {
    assertThatThrownBy(() -> RealServers.start(servers, Map.of(name, "a-secret-of-mine")).close())
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("no setting " + name)
        .hasMessageContaining("(environment %s)", variable)
        .hasMessageNotContaining("a-secret-of-mine")
        .message()
        .matches("[^\\r\\n]+");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HOLDFAST_HOLD_WIAT",
        "HOLDFAST_HOLDWAIT",
        "HOLDFAST_",
        "HOLDFAST_TESTS",
        "holdfast_port",
        "HOLDFAST_HTTP_PORT",
        "HOLDFAST_PORT_8080",
        "Holdfast_Data"
      })
  void a_misspelt_variable_is_not_allowed(String name) {
    assertThat(NAMES.isAllowedVariable(name, "1")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HOLDFAST_HOLD_WAIT",
        "HOLDFAST_PORT",
        "HOLDFAST_OPTS",
        "HOLDFAST_TEST_SEED",
        "REDIS_URI",
        "REDIS_URL",
        "JDBC_USERNAME",
        "PATH",
        "MY_HOLDFAST_PORT",
        "HOLDFASTER",
        "POSTGRES_PASSWORD"
      })
  void settings_and_variables_of_others_are_allowed(String name) {
    assertThat(NAMES.isAllowedVariable(name, "1")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HOLDFAST_SERVICE_HOST", "HOLDFAST_SERVICE_PORT", "HOLDFAST_SERVICE_PORT_HTTP",
        "HOLDFAST_PORT_8080_TCP", "HOLDFAST_PORT_8080_TCP_ADDR", "HOLDFAST_PORT_8080_TCP_PROTO",
        "HOLDFAST_REDIS_SERVICE_HOST", "HOLDFAST_REDIS_PORT_6379_TCP"
      })
  void what_kubernetes_sets_for_a_service_of_this_name_is_allowed(String name) {
    assertThat(NAMES.isAllowedVariable(name, "10.0.0.1")).isTrue();
    assertThat(NAMES.isAllowedVariable("HOLDFAST_REDIS_PORT", "tcp://10.0.0.1:6379")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "holdfast.hold-wait",
        "holdfast.port",
        "holdfast.test.seed",
        "holdfast.bench.options",
        "redis.urii",
        "jdbc.user-name",
        "micronaut.server.port"
      })
  void properties_of_tools_and_of_others_are_allowed(String name) {
    assertThat(NAMES.isAllowedProperty(name)).isTrue();
  }

  @Test
  void the_program_brings_the_page_that_lists_the_names() {
    assertThat(NAMES.nearest("HOLDFAST_DTAA")).isEqualTo("HOLDFAST_DATA");
    assertThat(NAMES.isAllowedProperty("holdfast.data")).isTrue();
  }
}
