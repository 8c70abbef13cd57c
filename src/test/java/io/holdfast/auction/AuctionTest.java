package io.holdfast.auction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Bids of an auction before its close.
@ExtendWith(RealServers.class)
@Tag("cluster")
class AuctionTest {
  private static final int BIDDERS = 50;

  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @Test
  @Requirement("BR-T-4")
  void a_bid_lasts_five_minutes_and_is_a_hold_with_an_amount() {
    var lot = Lot.of(api);

    var placed = lot.place(Api.token(), "ann", 500);

    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    var json = Http.json(placed);
    assertThat(json.get("amountCents").asLong()).isEqualTo(500);
    assertThat(json.get("leading").asBoolean()).isTrue();
    var hold = api.read(json.get("bidId").asText());
    assertThat(Http.json(hold).get("amountCents").asLong()).isEqualTo(500);
    assertThat(Http.json(hold).get("items")).isEmpty();
    assertThat(Http.json(hold).get("fence")).isEqualTo(json.get("sequence"));
    assertThat(Duration.between(Api.time(hold, "placedAt"), Api.time(hold, "leaseUntil")))
        .isEqualTo(Duration.ofSeconds(300));
  }

  @Test
  void the_pool_shows_its_auction_and_its_one_lot() {
    var closesAt = nextMonth().plusMillis(250);
    var lot = Lot.of(api, closesAt, "{}");
    lot.bid("ann", 500);

    var pool = Http.json(api.get("/v1/pools/" + lot.pool()));

    assertThat(pool.get("auction").get("closesAt").asText()).isEqualTo(closesAt.toString());
    assertThat(pool.get("auction").get("reserveCents").asLong()).isEqualTo(Lot.RESERVE);
    assertThat(pool.get("auction").get("state").asText()).isEqualTo("OPEN");
    assertThat(pool.get("auction").get("winningBid").isNull()).isTrue();
    assertThat(api.counts(lot.pool())).isEqualTo("1 free, 0 held");
    assertThat(api.stateOf(lot.pool(), "lot")).isEqualTo("FREE");
  }

  @Test
  void a_raised_bid_replaces_the_requesters_own_and_gets_a_higher_sequence() {
    var lot = Lot.of(api, Duration.ofHours(1), "{\"maxHoldsPerRequester\":1}");
    var first = lot.bid("ann", 500);

    var raised = lot.bid("ann", 700);

    assertThat(raised.fence()).isGreaterThan(first.fence());
    assertThat(lot.stateOf(first)).isEqualTo("RELEASED");
    assertThat(lot.top(10)).containsExactly(raised.id());
  }

  @Test
  void a_bid_below_the_requesters_own_is_refused_and_a_replay_gets_equal_bytes() {
    var lot = Lot.of(api);
    var own = lot.bid("ann", 500);
    var token = Api.token();

    var refused = lot.place(token, "ann", 499);

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("bid-too-low");
    assertThat(lot.place(token, "ann", 499).body()).isEqualTo(refused.body());
    assertThat(lot.top(10)).containsExactly(own.id());
    assertThat(lot.place(Api.token(), "bob", 499).statusCode()).isEqualTo(201);
  }

  @Test
  void the_requesters_own_amount_again_is_its_own_bid() {
    var lot = Lot.of(api);
    var token = Api.token();
    var own = lot.place(token, "ann", 500);
    lot.bid("bob", 600);

    var again = lot.place(Api.token(), "ann", 500);

    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(Http.json(again).get("bidId")).isEqualTo(Http.json(own).get("bidId"));
    assertThat(Http.json(again).get("leading").asBoolean()).isFalse();
    var replay = lot.place(token, "ann", 500);
    assertThat(replay.body()).isEqualTo(own.body());
    assertThat(Api.isReplay(replay)).isTrue();
  }

  @Test
  void the_leader_comes_first_and_of_equal_amounts_the_earlier() {
    var lot = Lot.of(api);
    var low = lot.bid("ann", 300);
    var first = lot.bid("bob", 500);
    var second = lot.bid("cid", 500);

    assertThat(lot.top(10)).containsExactly(first.id(), second.id(), low.id());
    assertThat(lot.top(2)).containsExactly(first.id(), second.id());
    assertThat(Http.json(lot.place(Api.token(), "dan", 500)).get("leading").asBoolean()).isFalse();
  }

  @Test
  void a_withdrawn_bid_is_off_the_board_and_its_requester_may_bid_less() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", 500);

    assertThat(api.heartbeat(bid.id(), "ann", bid.fence()).statusCode()).isEqualTo(200);
    assertThat(api.release(bid.id(), Api.token(), "ann").statusCode()).isEqualTo(200);

    assertThat(lot.top(10)).isEmpty();
    lot.bid("ann", 200);
  }

  @Test
  @Requirement("BR-Q-1")
  void fifty_bids_at_once_have_one_leader_and_the_order_of_their_sequences() {
    var lot = Lot.of(api);

    var placed = Together.run(BIDDERS, i -> lot.bid("bidder-" + i, 500));

    var inOrder = placed.stream().sorted(Comparator.comparingLong(Hold::fence)).toList();
    assertThat(inOrder).extracting(Hold::fence).doesNotHaveDuplicates();
    assertThat(lot.top(BIDDERS)).containsExactlyElementsOf(inOrder.stream().map(Hold::id).toList());
    api.get("/v1/pools/" + lot.pool() + "/holds"); // drains the journal
    assertThat(
            rows.number(
                "SELECT count(*) FROM hold WHERE pool = ? AND amount_cents = 500", lot.pool()))
        .isEqualTo(BIDDERS);
  }

  @Test
  void a_bid_cannot_be_confirmed() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", 500);

    var refused = api.confirm(bid, Api.token(), "ann", "order-1");

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("auction-open");
    assertThat(lot.stateOf(bid)).isEqualTo("HELD");
  }

  @Test
  void holds_belong_to_other_pools_and_bids_to_auctions() {
    var lot = Lot.of(api);
    var arena = api.pool(1);

    assertThat(api.place(lot.pool(), Api.token(), "ann", "lot").statusCode()).isEqualTo(400);
    assertThat(new Lot(api, arena).place(Api.token(), "ann", 500).statusCode()).isEqualTo(400);
    assertThat(api.get("/v1/pools/" + arena + "/bids").statusCode()).isEqualTo(400);
    assertThat(new Lot(api, arena).close().statusCode()).isEqualTo(400);
    assertThat(new Lot(api, "no-such-pool").close().statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1.5", "\"500\"", "null", "1000000000001"})
  void an_amount_is_a_positive_number_of_cents(String amount) {
    var lot = Lot.of(api);

    var refused =
        api.post(
            "/v1/pools/" + lot.pool() + "/bids",
            Api.token(),
            "{\"requester\":\"ann\",\"amountCents\":%s}".formatted(amount));

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "101", "ten", ""})
  void a_list_has_at_most_a_hundred_bids(String top) {
    var lot = Lot.of(api);

    assertThat(api.get("/v1/pools/" + lot.pool() + "/bids?top=" + top).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"kind\":\"AUCTION\",\"reserveCents\":1 | closesAt",
        "\"kind\":\"AUCTION\",\"closesAt\":\"2030-01-01T00:00:00Z\" | reserveCents",
        "\"kind\":\"AUCTION\",\"closesAt\":\"2020-01-01T00:00:00Z\",\"reserveCents\":1 | closesAt",
        "\"kind\":\"AUCTION\",\"closesAt\":\"2920-01-01T00:00:00Z\",\"reserveCents\":1 | closesAt",
        "\"kind\":\"AUCTION\",\"closesAt\":\"soon\",\"reserveCents\":1 | closesAt",
        "\"kind\":\"UNIQUE\",\"reserveCents\":1 | reserveCents",
        "\"kind\":\"UNIQUE\",\"closesAt\":\"2027-01-01T00:00:00Z\" | closesAt"
      })
  void terms_are_required_of_auctions_and_of_no_other_pool(String fields, String field) {
    var body = "{\"pool\":\"lot-%s\",%s}".formatted(UUID.randomUUID(), fields);

    var refused = api.post("/v1/pools", Api.token(), body);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(refused.body()).contains(field);
  }

  @Test
  void the_same_auction_again_is_no_other_and_other_terms_are() {
    var name = "lot-" + UUID.randomUUID();
    var closesAt = nextMonth();
    api.post("/v1/pools", Api.token(), Lot.body(name, closesAt, "{}"));

    assertThat(api.post("/v1/pools", Api.token(), Lot.body(name, closesAt, "{}")).statusCode())
        .isEqualTo(200);
    assertThat(
            api.post("/v1/pools", Api.token(), Lot.body(name, closesAt.plusSeconds(1), "{}"))
                .statusCode())
        .isEqualTo(409);
  }

  @Test
  void a_bid_of_another_caller_cannot_be_touched_but_its_requester_is_shown() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", 500);
    var stranger = api.as("stranger-" + UUID.randomUUID(), "hold");

    assertThat(stranger.read(bid.id()).statusCode()).isEqualTo(404);
    assertThat(stranger.release(bid.id(), Api.token(), "ann").statusCode()).isEqualTo(404);
    assertThat(lot.by(stranger).top(1)).containsExactly(bid.id());
    assertThat(lot.by(stranger).close().statusCode()).isEqualTo(403);
  }

  private static Instant nextMonth() {
    return Instant.now().plus(Duration.ofDays(30)).truncatedTo(ChronoUnit.SECONDS);
  }
}
