package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.PricedPools;
import io.holdfast.events.Receiver;
import io.holdfast.events.Receiver.Request;
import io.holdfast.events.Subscriber;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Webhooks get all events they subscribe to, in order, until the receiver accepts them.
@ExtendWith(RealServers.class)
class WebhookDeliveryTest {
  private static Service service;
  private static Subscriber subscriber;

  private final Receiver receiver = Receiver.open();

  /// Webhooks of other tests would cause events that take sequence numbers of the pool.
  @BeforeEach
  void disableOtherWebhooks(TestServers servers) throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      statement.execute(
          "UPDATE webhook SET enabled = false, disabled_why = 'by a test' WHERE enabled");
    }
  }

  @BeforeAll
  static void start(TestServers servers) {
    service = Subscriber.service(servers, Map.of());
    subscriber = Subscriber.of(service);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  @Requirement({"EC-RU-1", "EC-RU-4"})
  void a_sale_event_is_signed_and_has_ids_names_items_and_totals() {
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1", "A-2");
    var hold = subscriber.api().hold(pool, "Anna Ärmel", "A-1", "A-2");
    subscriber.api().confirm(hold, Api.token(), "Anna Ärmel", "order-7");

    var request = Subscriber.awaitRequests(receiver, 1).getFirst();

    assertThat(request.isSignedWith(registered.secret())).isTrue();
    assertThat(request.isSignedWith("whsec_" + "A".repeat(44))).isFalse();
    assertThat(request.header("content-type")).startsWith("application/cloudevents+json");
    var event = request.json();
    assertThat(event.path("specversion").asText()).isEqualTo("1.0");
    assertThat(event.path("type").asText()).isEqualTo("hold.confirmed");
    assertThat(event.path("source").asText()).isEqualTo("/v1/pools/" + pool);
    assertThat(event.path("subject").asText()).isEqualTo(hold.id());
    assertThat(event.path("id").asText()).isEqualTo(request.header("webhook-id"));
    assertThat(event.path("dataschema").asText()).endsWith("/v1/event-types/hold.confirmed/1.2.0");
    var data = event.path("data");
    assertThat(data.path("schemaVersion").asText()).isEqualTo("1.2.0");
    assertThat(data.path("hold").path("requester").asText()).isEqualTo("Anna Ärmel");
    assertThat(data.path("items").findValuesAsText("item")).containsExactly("A-1", "A-2");
    assertThat(data.path("totalCents").asLong()).isEqualTo(10_000);
    assertThat(data.path("currency").asText()).isEqualTo("EUR");
    assertThat(data.path("order").path("orderId").asText()).isEqualTo("order-7");
    assertThat(data.path("order").path("commitmentId").asText()).isEqualTo("cm~" + hold.id());
  }

  @Test
  void all_hold_events_of_a_pool_are_delivered_in_order_and_once() {
    subscriber.register(receiver, "hold.placed", "hold.released", "hold.expired");
    var pool = subscriber.api().pool(20);
    var holds =
        IntStream.rangeClosed(1, 20)
            .mapToObj(i -> subscriber.api().hold(pool, "u" + i, "A-" + i))
            .toList();
    holds
        .subList(0, 10)
        .forEach(h -> subscriber.api().release(h.id(), Api.token(), requester(h, holds)));
    holds.subList(10, 20).forEach(h -> subscriber.api().expire(h.id(), Api.token(), true));

    var requests =
        Subscriber.awaitRequests(receiver, 40).stream()
            .filter(request -> isOf(request, pool))
            .toList();

    assertThat(requests)
        .extracting(Request::sequence)
        .isSorted()
        .doesNotHaveDuplicates()
        .hasSize(40);
    assertThat(requests.stream().map(Request::type).filter("hold.placed"::equals)).hasSize(20);
    assertThat(requests.stream().map(Request::type).filter("hold.released"::equals)).hasSize(10);
    assertThat(requests.stream().map(Request::type).filter("hold.expired"::equals)).hasSize(10);
    for (var hold : holds) {
      var types = requests.stream().filter(t -> t.body().contains(hold.id())).map(Request::type);
      assertThat(types.toList().getFirst()).isEqualTo("hold.placed");
    }
  }

  @Test
  void a_refused_event_is_sent_again_under_its_id_before_any_later_event() {
    receiver.answers(_ -> receiver.requests().size() <= 2 ? 500 : 200);
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1", "A-2");
    subscriber.sell(pool, "anna", "A-1");
    subscriber.sell(pool, "anna", "A-2");

    var requests = Subscriber.awaitRequests(receiver, 4);

    assertThat(requests).extracting(Request::sequence).startsWith(1L, 1L, 1L, 2L);
    assertThat(requests.stream().limit(3).map(t -> t.header("webhook-id")).distinct()).hasSize(1);
    assertThat(requests).allMatch(t -> t.isSignedWith(registered.secret()));
    Await.until(Subscriber.SOON, () -> deliveries(registered.id()).size() == 4);
    assertThat(deliveries(registered.id()))
        .containsExactly(
            "2 DELIVERED 200 1", "1 DELIVERED 200 3", "1 FAILED 500 2", "1 FAILED 500 1");
  }

  @Test
  void a_replay_delivers_again_from_the_given_event_on() {
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1", "A-2", "A-3");
    List.of("A-1", "A-2", "A-3").forEach(seat -> subscriber.sell(pool, "anna", seat));
    Subscriber.awaitRequests(receiver, 3);
    Await.until(Subscriber.SOON, () -> deliveries(registered.id()).size() == 3);

    subscriber.replay(registered.id(), "{\"pool\":\"%s\",\"from\":2}".formatted(pool));

    var requests = Subscriber.awaitRequests(receiver, 5);
    assertThat(requests).extracting(Request::sequence).containsExactly(1L, 2L, 3L, 2L, 3L);
    assertThat(requests.get(3).header("webhook-id"))
        .isEqualTo(requests.get(1).header("webhook-id"));
  }

  private static boolean isOf(Request request, String pool) {
    return request.json().path("source").asText().equals("/v1/pools/" + pool);
  }

  private static String requester(Api.Hold hold, List<Api.Hold> all) {
    return "u" + (all.indexOf(hold) + 1);
  }

  private static List<String> deliveries(String id) {
    var json = Http.json(subscriber.api().get("/v1/webhooks/" + id + "/deliveries"));
    return json.get("deliveries")
        .valueStream()
        .map(
            each ->
                each.get("sequence")
                    + " "
                    + each.get("outcome").asText()
                    + " "
                    + each.get("status")
                    + " "
                    + each.get("attempt"))
        .toList();
  }

  static String priced(String... items) {
    return PricedPools.create(subscriber.api(), items);
  }
}
