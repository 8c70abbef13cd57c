package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.Weight.UseCase;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.web.PublicUrl;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Events are written as CloudEvents, fat for readers outside.
@ExtendWith(RealServers.class)
class CloudEventJsonTest {

  @ParameterizedTest
  @CsvSource({
    "2026-11-17T07:58:35.673906Z, 2026-11-17T07:58:35.673Z",
    "2026-11-17T07:58:35.690001Z, 2026-11-17T07:58:35.690Z",
    "2026-11-17T07:58:35.7Z, 2026-11-17T07:58:35.700Z",
    "2026-11-17T07:58:35Z, 2026-11-17T07:58:35.000Z"
  })
  void timestamps_always_have_three_fraction_digits(Instant at, String written, Service service) {
    var event =
        new StoredEvent(
            1, "p", 1, EventType.values()[0], "a \"time\":\"of\"", at, Map.of("time", "noon"));

    var json = new CloudEventJson(service.context().getBean(PublicUrl.class));

    assertThat(new String(json.full(event), StandardCharsets.UTF_8))
        .contains("\"time\":\"" + written + "\"", "\"time\":\"noon\"");
  }

  /// The use decides what is written: a published event has its data, a thin one a link to them.
  @Test
  @Requirement({"EC-AC-4", "EC-EX-1"})
  void a_published_event_is_written_with_its_data_and_one_too_large_with_a_link(Service service) {
    var json = new CloudEventJson(service.context().getBean(PublicUrl.class));

    var published = Http.json(new String(json.of(event("noon")), StandardCharsets.UTF_8));
    var large = Http.json(new String(json.of(event("x".repeat(20_000))), StandardCharsets.UTF_8));

    assertThat(published.get("data").get("time").asText()).isEqualTo("noon");
    assertThat(published.get("data").has("href")).isFalse();
    assertThat(large.get("data").get("weight").asText()).isEqualTo("THIN");
    assertThat(large.get("data").get("href").asText()).isEqualTo("/v1/pools/p/events/1");
    assertThat(large.get("data").has("time")).isFalse();
  }

  private static StoredEvent event(String time) {
    var data = Map.<String, Object>of("time", time, "schemaVersion", "1.0.0");
    return new StoredEvent(1, "p", 1, EventType.HOLD_PLACED, "h", Instant.EPOCH, data);
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
