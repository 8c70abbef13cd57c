package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A consumer needs no data but the events it gets, and events go on when an instance stops.
@ExtendWith(RealServers.class)
class EventConsumerTest {

  @Test
  @Requirement({"EC-AC-1", "EC-RU-1"})
  void a_consumer_needs_no_query_back_while_the_service_is_away(TestServers servers) {
    try (var receiver = Receiver.open()) {
      try (var service = Subscriber.service(servers, Map.of())) {
        var subscriber = Subscriber.of(service);
        subscriber.register(receiver, "hold.confirmed");
        subscriber.sell(PricedPools.create(subscriber.api(), "A-1"), "Alice Example", "A-1");
        Subscriber.awaitRequests(receiver, 1);
      }

      var data = receiver.requests().getFirst().json().path("data");
      var label =
          "%s: %s, %d %s"
              .formatted(
                  data.path("hold").path("requester").asText(),
                  data.path("items").findValuesAsText("item"),
                  data.path("totalCents").asLong(),
                  data.path("currency").asText());

      assertThat(label).isEqualTo("Alice Example: [A-1], 5000 EUR");
    }
  }

  @Test
  void another_instance_continues_where_one_has_stopped(TestServers servers) {
    try (var receiver = Receiver.open();
        var second = Subscriber.service(servers, Map.of())) {
      var subscriber = Subscriber.of(second);
      try (var first = Subscriber.service(servers, Map.of())) {
        Subscriber.of(first).register(receiver, "hold.confirmed");
        subscriber.sell(PricedPools.create(subscriber.api(), "A-1"), "anna", "A-1");
        Subscriber.awaitRequests(receiver, 1);
      }

      subscriber.sell(PricedPools.create(subscriber.api(), "A-1"), "anna", "A-1");

      var ids =
          Subscriber.awaitRequests(receiver, 2).stream()
              .map(request -> request.header("webhook-id"));
      assertThat(ids.distinct())
          .as("an instance that stops in an orderly way sends nothing twice")
          .hasSize(2);
      assertThat(receiver.requests()).hasSize(2);
    }
  }

  @Test
  void an_event_too_large_for_receivers_is_sent_thin_with_a_link(TestServers servers) {
    try (var receiver = Receiver.open();
        var service = Subscriber.service(servers, Map.of())) {
      var subscriber = Subscriber.of(service);
      subscriber.register(receiver, "hold.confirmed");
      var longName = "\\\\".repeat(120); // twice as long in JSON
      var items = IntStream.range(0, 100).mapToObj(i -> longName + i).toArray(String[]::new);
      var pool = PricedPools.create(subscriber.api(), items);
      var hold = subscriber.api().hold(pool, "anna", items);
      subscriber.api().confirm(hold, "t", "anna", "order-1");

      var request = Subscriber.awaitRequests(receiver, 1).getFirst();

      assertThat(request.body().length()).isLessThan(20_000);
      assertThat(request.json().path("data").path("weight").asText()).isEqualTo("THIN");
      var full = subscriber.api().get(request.json().path("data").path("href").asText());
      assertThat(Http.json(full).path("data").path("items")).hasSize(100);
    }
  }

  @Test
  void hold_events_are_stored_only_with_a_subscriber_and_sale_events_always(TestServers servers) {
    try (var service = Subscriber.service(servers, Map.of())) {
      var subscriber = Subscriber.of(service);
      var pool = PricedPools.create(subscriber.api(), "A-1", "A-2");
      var path = "/v1/pools/" + pool + "/events";

      subscriber.api().hold(pool, "anna", "A-2");
      subscriber.sell(pool, "anna", "A-1");

      Await.until(Subscriber.SOON, () -> !Http.json(subscriber.api().get(path)).isEmpty());
      assertThat(Http.json(subscriber.api().get(path)).findValuesAsText("type"))
          .containsExactly("hold.confirmed");
    }
  }
}
