package io.holdfast.seatmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RetryingClient;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The stream of an auction: its leader, the number of its bids, and its state.
@ExtendWith(RealServers.class)
class AuctionStreamTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  void a_listener_learns_of_each_leader_and_of_the_close() {
    var pool = auction(Duration.ofHours(1));
    try (var listener = Listening.to(api, pool)) {
      var snapshot = Http.json(listener.events().getFirst().data());
      assertThat(snapshot.get("items").toString())
          .isEqualTo("[{\"item\":\"lot\",\"state\":\"FREE\"}]");
      assertThat(snapshot.get("auction").get("state").asText()).isEqualTo("OPEN");
      assertThat(snapshot.get("auction").get("leader").isNull()).isTrue();

      var bid = bid(pool, "ann", 500);
      await(listener, "\"bids\":1");
      bid(pool, "bob", 400);
      await(listener, "\"bids\":2");

      assertThat(last(listener).get("leader").get("amountCents").asLong()).isEqualTo(500);
      assertThat(last(listener).get("leader").get("sequence")).isEqualTo(bid.get("sequence"));

      api.post("/v1/pools/" + pool + "/close", Api.token(), "{}");
      await(listener, "\"state\":\"CLOSED\"");
      listener.awaitTruth(api, pool);
      assertThat(listener.map()).containsEntry("lot", "SOLD");
      assertThat(listener.hasGrowingIds()).isTrue();
    }
  }

  /// Without bids nothing changes in Redis but the time.
  @Test
  void a_listener_learns_that_an_auction_without_bids_has_closed_by_itself() {
    var pool = auction(Duration.ofSeconds(2));
    try (var listener = Listening.to(api, pool)) {
      await(listener, "\"state\":\"CLOSED\"");

      assertThat(listener.map()).containsEntry("lot", "FREE");
    }
  }

  private static void await(Listening listener, String text) {
    Await.until(
        RetryingClient.PATIENCE,
        () -> listener.events().stream().anyMatch(event -> event.data().contains(text)));
  }

  /// The last summary that was sent.
  private static JsonNode last(Listening listener) {
    return listener.events().reversed().stream()
        .map(event -> Http.json(event.data()).get("auction"))
        .filter(auction -> auction != null)
        .findFirst()
        .orElseThrow();
  }

  private static String auction(Duration open) {
    var name = "lot-" + UUID.randomUUID();
    var made =
        api.post(
            "/v1/pools",
            Api.token(),
            "{\"pool\":\"%s\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":1}"
                .formatted(name, Instant.now().plus(open)));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return name;
  }

  private static JsonNode bid(String pool, String requester, long amountCents) {
    return Http.json(
        api.post(
            "/v1/pools/" + pool + "/bids",
            Api.token(),
            "{\"requester\":\"%s\",\"amountCents\":%d}".formatted(requester, amountCents)));
  }
}
