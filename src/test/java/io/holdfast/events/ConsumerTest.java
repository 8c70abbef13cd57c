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

/// Those who are told need nobody but what they were told, and whoever stops is followed by
/// another.
@ExtendWith(RealServers.class)
class ConsumerTest {

  @Test
  @Requirement({"EC-AC-1", "EC-RU-1"})
  void a_consumer_works_without_asking_back_while_the_service_is_away(TestServers servers) {
    try (var receiver = Receiver.open()) {
      try (var service = Subscriber.service(servers, Map.of())) {
        var subscriber = Subscriber.of(service);
        subscriber.register(receiver, "hold.confirmed");
        subscriber.sell(Priced.pool(subscriber.api(), "A-1"), "Alice Example", "A-1");
        Subscriber.told(receiver, 1);
      }

      var data = receiver.told().getFirst().json().path("data");
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
  void another_instance_goes_on_where_one_has_stopped(TestServers servers) {
    try (var receiver = Receiver.open();
        var second = Subscriber.service(servers, Map.of())) {
      var subscriber = Subscriber.of(second);
      try (var first = Subscriber.service(servers, Map.of())) {
        Subscriber.of(first).register(receiver, "hold.confirmed");
        subscriber.sell(Priced.pool(subscriber.api(), "A-1"), "anna", "A-1");
        Subscriber.told(receiver, 1);
      }

      subscriber.sell(Priced.pool(subscriber.api(), "A-1"), "anna", "A-1");

      var ids = Subscriber.told(receiver, 2).stream().map(told -> told.header("webhook-id"));
      assertThat(ids.distinct())
          .as("whoever stops in an orderly way tells nothing twice")
          .hasSize(2);
      assertThat(receiver.told()).hasSize(2);
    }
  }

  @Test
  void an_event_too_large_for_receivers_travels_thin_and_says_where_it_is(TestServers servers) {
    try (var receiver = Receiver.open();
        var service = Subscriber.service(servers, Map.of())) {
      var subscriber = Subscriber.of(service);
      subscriber.register(receiver, "hold.confirmed");
      var wide = "\\\\".repeat(120); // written twice as long in JSON
      var items = IntStream.range(0, 100).mapToObj(i -> wide + i).toArray(String[]::new);
      var pool = Priced.pool(subscriber.api(), items);
      var hold = subscriber.api().hold(pool, "anna", items);
      subscriber.api().confirm(hold, "t", "anna", "order-1");

      var told = Subscriber.told(receiver, 1).getFirst();

      assertThat(told.body().length()).isLessThan(20_000);
      assertThat(told.json().path("data").path("weight").asText()).isEqualTo("THIN");
      var whole = subscriber.api().get(told.json().path("data").path("href").asText());
      assertThat(Http.json(whole).path("data").path("items")).hasSize(100);
    }
  }

  @Test
  void holds_are_told_only_to_who_wants_them_and_sales_are_kept_for_all(TestServers servers) {
    try (var service = Subscriber.service(servers, Map.of())) {
      var subscriber = Subscriber.of(service);
      var pool = Priced.pool(subscriber.api(), "A-1", "A-2");
      var path = "/v1/pools/" + pool + "/events";

      subscriber.api().hold(pool, "anna", "A-2");
      subscriber.sell(pool, "anna", "A-1");

      Await.until(Subscriber.SOON, () -> !Http.json(subscriber.api().get(path)).isEmpty());
      assertThat(Http.json(subscriber.api().get(path)).findValuesAsText("type"))
          .containsExactly("hold.confirmed");
    }
  }
}
