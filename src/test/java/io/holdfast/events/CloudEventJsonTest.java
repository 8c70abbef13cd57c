package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CloudEventJsonTest {

  @ParameterizedTest
  @CsvSource({
    "2026-11-17T07:58:35.673906Z, 2026-11-17T07:58:35.673Z",
    "2026-11-17T07:58:35.690001Z, 2026-11-17T07:58:35.690Z",
    "2026-11-17T07:58:35.7Z, 2026-11-17T07:58:35.700Z",
    "2026-11-17T07:58:35Z, 2026-11-17T07:58:35.000Z"
  })
  void times_have_milliseconds_and_always_three_digits_of_them(Instant at, String written) {
    var event =
        new StoredEvent(
            1, "p", 1, EventType.values()[0], "a \"time\":\"of\"", at, Map.of("time", "noon"));

    assertThat(new String(CloudEventJson.whole(event), StandardCharsets.UTF_8))
        .contains("\"time\":\"" + written + "\"", "\"time\":\"noon\"");
  }
}
