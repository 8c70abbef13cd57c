package io.holdfast.events.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.events.EventType;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.web.JsonBody;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Events that an earlier release has stored are read as if they were new.
@ExtendWith(RealServers.class)
class OldEventTest {
  private static final EventType TYPE = EventType.CHECKOUT_FULFILLED;
  private static final SemVer CURRENT = TYPE.schema().version();

  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  @Requirement("EC-RU-2")
  void a_stored_event_of_the_first_version_is_delivered_in_the_current_one() {
    var checkouts = new Checkouts(api);
    var pool = checkouts.pool(1, "{}");
    checkouts.pay(api.hold(pool, "ann", "A-1"), "ann", "ok", Checkouts.PRICE);
    Await.until(Duration.ofSeconds(20), () -> fulfilled(pool) != null);
    var today = data(fulfilled(pool));
    assertThat(today.get("schemaVersion").asText()).isEqualTo(CURRENT.toString());

    store(pool, asFirstPublished(stored(pool)));

    assertThat(stored(pool).get("schemaVersion").asText()).isEqualTo("1.0.0");
    var read = data(fulfilled(pool));
    assertThat(read.get("schemaVersion")).isEqualTo(today.get("schemaVersion"));
    assertThat(read.get("checkout").get("checkoutId"))
        .isEqualTo(today.get("checkout").get("checkoutId"));
    TYPE.schema().validate(JsonBody.read(read.toString().getBytes(StandardCharsets.UTF_8)));
  }

  /// Without the members that version 1.0.0 did not have. What is left fits the schema of that
  /// time.
  private static ObjectNode asFirstPublished(JsonNode data) {
    var old = (ObjectNode) data.deepCopy();
    old.put("schemaVersion", "1.0.0");
    ((ObjectNode) old.get("checkout")).remove("metadata");
    return old;
  }

  private static JsonNode fulfilled(String pool) {
    for (var event : Http.json(api.get("/v1/pools/" + pool + "/events"))) {
      if (event.get("type").asText().equals(TYPE.word())) {
        return event;
      }
    }
    return null;
  }

  private static JsonNode data(JsonNode event) {
    return event.get("data");
  }

  private static JsonNode stored(String pool) {
    return Http.json(
        rows.texts("SELECT data FROM event WHERE pool = ? AND type = ?", pool, TYPE.word())
            .getFirst());
  }

  private static void store(String pool, JsonNode data) {
    rows.change("ALTER TABLE event DISABLE TRIGGER USER");
    rows.change(
        "UPDATE event SET data = ? WHERE pool = ? AND type = ?",
        data.toString(),
        pool,
        TYPE.word());
    rows.change("ALTER TABLE event ENABLE TRIGGER USER");
  }
}
