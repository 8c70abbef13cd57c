package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.events.Weight.UseCase;
import io.holdfast.testing.Requirement;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Events are written as CloudEvents, fat for readers outside.
class CloudEventJsonTest {

  @ParameterizedTest
  @CsvSource({
    "2026-11-17T07:58:35.673906Z, 2026-11-17T07:58:35.673Z",
    "2026-11-17T07:58:35.690001Z, 2026-11-17T07:58:35.690Z",
    "2026-11-17T07:58:35.7Z, 2026-11-17T07:58:35.700Z",
    "2026-11-17T07:58:35Z, 2026-11-17T07:58:35.000Z"
  })
  void timestamps_always_have_three_fraction_digits(Instant at, String written) {
    var event =
        new StoredEvent(
            1, "p", 1, EventType.values()[0], "a \"time\":\"of\"", at, Map.of("time", "noon"));

    assertThat(new String(CloudEventJson.full(event), StandardCharsets.UTF_8))
        .contains("\"time\":\"" + written + "\"", "\"time\":\"noon\"");
  }

  @ParameterizedTest
  @Requirement({"EC-AC-4", "EC-EX-1", "EC-RU-4"})
  @CsvSource({
    "CROSS_CONTEXT_INTEGRATION,FAT",
    "SAME_CONTEXT_PROJECTION,THIN",
    "PUBLISHED_LANGUAGE,FAT",
    "HIGH_FREQUENCY_INTERNAL,THIN"
  })
  void the_use_case_decides_whether_an_event_is_fat_or_thin(UseCase use, Weight weight) {
    assertThat(Weight.of(use)).isEqualTo(weight);
  }
}
