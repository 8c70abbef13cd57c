package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.catalogue.PoolRequest;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The record and the event of a change have each changed value, before and after.
@ExtendWith(RealServers.class)
class ChangeRecordTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// Cannot be changed.
  private static final Set<String> FIXED = Set.of("currency");

  private static final Map<String, String> POLICY =
      Map.ofEntries(
          Map.entry("leaseSeconds", "300"),
          Map.entry("windowSeconds", "900"),
          Map.entry("heartbeatSeconds", "60"),
          Map.entry("maxItemsPerHold", "2"),
          Map.entry("maxHoldsPerRequester", "2"),
          Map.entry("idempotencyWindowSeconds", "1200"),
          Map.entry("commitWindowSeconds", "3600"),
          Map.entry("requireNonce", "true"),
          Map.entry("waitingRoom", "true"),
          Map.entry("admissionsPerMinute", "6"),
          Map.entry("maxInside", "9"),
          Map.entry("graceSeconds", "77"),
          Map.entry("passSeconds", "88"),
          Map.entry("order", "\"RAFFLE\""),
          Map.entry("opensAt", "\"2030-01-01T00:00:00Z\""),
          Map.entry("compensate", "\"AUTOMATIC\""),
          Map.entry("maxItemsPerRequester", "3"),
          Map.entry("refundFeeCents", "10"),
          Map.entry("refundWithinSeconds", "60"));

  private static final Map<String, String> OF_ALL_KINDS =
      Map.of(
          "salesFrom", "\"2020-01-01T00:00:00Z\"",
          "salesUntil", "\"2040-01-01T00:00:00Z\"",
          "closed", "true");

  private static final Map<String, String> OF_STOCK = Map.of("capacity", "9", "priceCents", "77");

  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service service) {
    api = Api.of(service);
    rows = Rows.of(given);
  }

  @Test
  @Requirement("AU-11")
  void every_field_of_the_policy_is_recorded_before_and_after() {
    var pool = api.pool(2);

    var detail = changed(pool, "{\"policy\":%s}".formatted(object(POLICY)));

    var names = new HashSet<>(POLICY.keySet());
    names.addAll(FIXED);
    assertThat(names)
        .as("a new field needs a value here")
        .isEqualTo(componentsOf(PoolRequest.NewPolicy.class));
    assertRecorded(detail, POLICY);
  }

  @Test
  @Requirement("AU-11")
  void every_other_field_is_recorded_before_and_after() {
    var seats = api.row(2, "{}");
    var stock = Stock.of(api, 5).pool();

    var ofSeats = changed(seats, object(OF_ALL_KINDS));
    var ofStock = changed(stock, object(OF_STOCK));

    var names = new HashSet<>(OF_ALL_KINDS.keySet());
    names.addAll(OF_STOCK.keySet());
    names.addAll(List.of("policy", "prices"));
    assertThat(names)
        .as("a new field needs a value here")
        .isEqualTo(componentsOf(PoolChangeBody.class));
    assertRecorded(ofSeats, OF_ALL_KINDS);
    assertRecorded(ofStock, OF_STOCK);
    assertThat(ofStock.get("before").get("capacity").asLong()).isEqualTo(5);
  }

  @Test
  @Requirement("AU-11")
  void a_price_of_seats_is_recorded_and_published_before_and_after() {
    var pool = api.row(3, "{}");
    changed(pool, "{\"prices\":[{\"item\":\"A-2\",\"priceCents\":700}]}");

    var detail = changed(pool, "{\"prices\":[{\"section\":\"A\",\"priceCents\":900}]}");

    assertThat(detail.get("before").toString())
        .isEqualTo("{\"prices\":{\"A-1\":500,\"A-2\":700,\"A-3\":500}}");
    assertThat(detail.get("after").toString())
        .isEqualTo("{\"prices\":{\"A-1\":900,\"A-2\":900,\"A-3\":900}}");
    var event = lastEvent(pool, 2);
    assertThat(event.get("before")).isEqualTo(detail.get("before"));
    assertThat(event.get("after")).isEqualTo(detail.get("after"));
  }

  @Test
  void a_time_limit_of_refunds_is_set_and_removed_by_zero() {
    var pool = api.pool(1, "{\"refundWithinSeconds\":60}");

    var detail = changed(pool, "{\"policy\":{\"refundWithinSeconds\":0}}");

    assertThat(detail.toString())
        .isEqualTo(
            "{\"after\":{\"refundWithinSeconds\":null},"
                + "\"before\":{\"refundWithinSeconds\":60}}");
    var policy = Http.json(api.get("/v1/pools/" + pool)).get("policy");
    assertThat(policy.has("refundWithinSeconds")).isFalse();
  }

  private static void assertRecorded(JsonNode detail, Map<String, String> changed) {
    for (var name : changed.keySet()) {
      assertThat(detail.get("before").has(name)).as("before " + name).isTrue();
      assertThat(detail.get("after").has(name)).as("after " + name).isTrue();
      assertThat(detail.get("before").get(name))
          .as(name)
          .isNotEqualTo(detail.get("after").get(name));
    }
  }

  /// The record of the change.
  private static JsonNode changed(String pool, String body) {
    var changed = api.patch("/v1/pools/" + pool, Api.token(), body);
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    var newest = "SELECT detail FROM pool_change WHERE pool = ? ORDER BY id DESC LIMIT 1";
    return Http.json(rows.texts(newest, pool).getFirst());
  }

  private static JsonNode lastEvent(String pool, int count) {
    var last = new AtomicReference<JsonNode>();
    Await.until(
        PATIENCE,
        () -> {
          var events = Http.json(api.get("/v1/pools/" + pool + "/events"));
          if (events.size() == count) {
            last.set(events.get(count - 1).get("data"));
          }
          return last.get() != null;
        });
    return last.get();
  }

  private static String object(Map<String, String> fields) {
    var members =
        fields.entrySet().stream()
            .map(field -> "\"%s\":%s".formatted(field.getKey(), field.getValue()));
    return "{" + String.join(",", members.toList()) + "}";
  }

  private static Set<String> componentsOf(Class<?> type) {
    var names = new HashSet<String>();
    Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).forEach(names::add);
    return names;
  }
}
