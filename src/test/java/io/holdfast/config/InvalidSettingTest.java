package io.holdfast.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An invalid setting is refused, never guessed. `StartFailureTest` tests the message of the
/// process.
@ExtendWith(RealServers.class)
class InvalidSettingTest {

  @ParameterizedTest
  @CsvSource({
    "holdfast.port, HOLDFAST_PORT, 65536, must lie between 0 and 65535",
    "holdfast.demo, HOLDFAST_DEMO, maybe, must be true or false",
    "holdfast.rate-limit, HOLDFAST_RATE_LIMIT, -1, must lie between 0 and 10000000",
    "holdfast.rate-limit, HOLDFAST_RATE_LIMIT, none, must be a whole number",
    "holdfast.token-max-length, HOLDFAST_TOKEN_MAX_LENGTH, 35, must lie between 36 and 4096",
    "holdfast.idempotency-window, HOLDFAST_IDEMPOTENCY_WINDOW, 0s, must lie between 1000 ms",
    "holdfast.slowest-retry, HOLDFAST_SLOWEST_RETRY, 24h, must not be longer than"
        + " holdfast.idempotency-window",
    "holdfast.pin, HOLDFAST_PIN, 0s, must lie between 1000 ms and 300000 ms",
    "holdfast.max-clock-skew, HOLDFAST_MAX_CLOCK_SKEW, 6s, must lie between 10 ms and 5000 ms",
    "holdfast.inflight-wait, HOLDFAST_INFLIGHT_WAIT, 1ms, must lie between 50 ms and 60000 ms",
    "holdfast.connections, HOLDFAST_CONNECTIONS, 0, must lie between 1 and 1000000",
    "holdfast.header-timeout, HOLDFAST_HEADER_TIMEOUT, 0s, must lie between 100 ms and 3600000 ms",
    "holdfast.transfer-rate, HOLDFAST_TRANSFER_RATE, 0, must lie between 1 and 1073741824",
    "holdfast.hold-wait, HOLDFAST_HOLD_WAIT, 1ms, must lie between 10 ms and 30000 ms",
    "holdfast.hold-queue, HOLDFAST_HOLD_QUEUE, 0, must lie between 16 and 1000000",
    "redis.uri, REDIS_URI, http://127.0.0.1, must be redis://host:port",
    "redis.command-timeout, REDIS_COMMAND_TIMEOUT, 0ms, must lie between 10 ms and 10000 ms",
    "jdbc.url, JDBC_URL, mysql://127.0.0.1, must start with jdbc:postgresql:",
    "jdbc.pool-size, JDBC_POOL_SIZE, 0, must lie between 1 and 1000",
    "jdbc.socket-timeout, JDBC_SOCKET_TIMEOUT, 1s, must lie between 6000 ms",
  })
  void a_wrong_setting_is_named_by_both_of_its_names(
      String setting, String variable, String value, String rule, TestServers servers) {
    assertThatThrownBy(() -> RealServers.start(servers, Map.of(setting, value)).close())
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("%s (environment %s)", setting, variable)
        .hasMessageContaining(rule)
        .message()
        .matches("[^\\r\\n]+");
  }
}
