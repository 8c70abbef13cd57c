package io.holdfast.auction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.checkout.Checkouts;
import io.holdfast.commitment.auction.AuctionClose;
import io.holdfast.commitment.auction.AuctionLedger;
import io.holdfast.commitment.sequence.SequenceQueue;
import io.holdfast.hold.HoldService;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The close of an auction. No task of the service closes or sweeps by itself, so that a test can
/// be late.
@ExtendWith(RealServers.class)
@Tag("cluster")
class AuctionCloseTest {
  @TempDir static Path folder;

  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers servers) {
    service = Instances.start(servers, folder.resolve("data"), Map.of());
    var tasks = service.context().getBean(PeriodicTasks.class);
    TaskControl.pause(tasks, "auction-close");
    TaskControl.pause(tasks, "expiry-sweep");
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void end() {
    service.close();
  }

  @AfterEach
  void nothing_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  @Requirement({"BR-Q-2", "BR-Q-1"})
  void the_highest_bid_wins_and_of_equal_ones_the_earlier() {
    var lot = Lot.of(api);
    var low = lot.bid("ann", 300);
    var first = lot.bid("bob", 500);
    var second = lot.bid("cid", 500);

    var closed = result(lot.close());

    var winner = closed.get("winner");
    assertThat(winner.get("bidId").asText()).isEqualTo(first.id());
    assertThat(winner.get("requester").asText()).isEqualTo("bob");
    assertThat(winner.get("amountCents").asLong()).isEqualTo(500);
    assertThat(winner.get("sequence").asLong()).isEqualTo(first.fence());
    assertThat(closed.get("commitmentId").asText()).isEqualTo("cm~" + first.id());
    assertThat(closed.get("bids").asLong()).isEqualTo(3);
    assertThat(closed.get("bidsLost").asText()).isEqualTo("none");
    assertThat(lot.stateOf(first)).isEqualTo("CONFIRMED");
    assertThat(lot.stateOf(second)).isEqualTo("RELEASED");
    assertThat(lot.stateOf(low)).isEqualTo("RELEASED");
    assertThat(sold(lot)).containsExactly(first.id() + " lot 500");
    assertThat(lot.shown().get("state").asText()).isEqualTo("CLOSED");
    assertThat(lot.shown().get("winningBid").asText()).isEqualTo(first.id());
    assertThat(api.counts(lot.pool())).isEqualTo("0 free, 0 held");
    assertThat(lot.top(10)).isEmpty();
  }

  @Test
  void the_answer_is_replayed_and_another_call_gets_the_same_result() {
    var lot = Lot.of(api);
    lot.bid("ann", 500);
    var token = Api.token();

    var first = lot.close(token);

    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    var replay = lot.close(token);
    assertThat(replay.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(replay)).isTrue();
    assertThat(lot.close().body()).isEqualTo(first.body());
  }

  @Test
  void an_auction_that_is_created_after_a_refused_call_is_closed_under_the_same_token() {
    var token = Api.token();
    var name = "later-" + UUID.randomUUID();
    var lot = new Lot(api, name);
    var before = lot.close(token);
    var body = Lot.body(name, Instant.now().plusSeconds(3_600), "{}");
    assertThat(api.post("/v1/pools", Api.token(), body).statusCode()).isEqualTo(201);

    var after = lot.close(token);

    assertThat(before.statusCode()).isEqualTo(404);
    assertThat(Api.code(before)).isEqualTo("not-known");
    assertThat(after.statusCode()).as(after.body()).isEqualTo(200);
  }

  @Test
  void one_token_closes_two_auctions() {
    var token = Api.token();

    assertThat(Lot.of(api).close(token).statusCode()).isEqualTo(200);
    assertThat(Lot.of(api).close(token).statusCode()).isEqualTo(200);
  }

  @Test
  void a_raised_bid_counts_once_and_with_its_last_amount() {
    var lot = Lot.of(api);
    lot.bid("ann", 300);
    lot.bid("bob", 400);
    var raised = lot.bid("ann", 500);

    var closed = result(lot.close());

    assertThat(closed.get("winner").get("bidId").asText()).isEqualTo(raised.id());
    assertThat(closed.get("bids").asLong()).isEqualTo(2);
  }

  @Test
  void below_the_reserve_nothing_is_sold() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", Lot.RESERVE - 1);

    var closed = result(lot.close());

    assertThat(closed.get("winner").isNull()).isTrue();
    assertThat(closed.get("commitmentId").isNull()).isTrue();
    assertThat(lot.stateOf(bid)).isEqualTo("RELEASED");
    assertThat(sold(lot)).isEmpty();
    assertThat(api.stateOf(lot.pool(), "lot")).isEqualTo("FREE");
    assertThat(lot.shown().get("state").asText()).isEqualTo("CLOSED");
  }

  @Test
  void an_auction_without_bids_is_closed_without_a_sale() {
    var closed = result(Lot.of(api).close());

    assertThat(closed.get("winner").isNull()).isTrue();
    assertThat(closed.get("bids").asLong()).isZero();
  }

  @Test
  @Requirement("BR-Q-2")
  void a_bid_that_lapsed_before_the_close_does_not_win() {
    var lot = Lot.of(api, Duration.ofHours(1), "{\"leaseSeconds\":3}");
    var live = lot.bid("bob", 500);
    var lapsing = lot.place(Api.token(), "ann", 900);
    var leaseUntil = Api.time(lapsing, "leaseUntil");
    Await.until(
        RetryingClient.PATIENCE,
        () -> {
          assertThat(api.heartbeat(live.id(), "bob", live.fence()).statusCode()).isEqualTo(200);
          return Instant.now().isAfter(leaseUntil);
        });

    var closed = result(lot.close());

    assertThat(closed.get("winner").get("bidId").asText()).isEqualTo(live.id());
    var ended = Http.json(api.read(Http.json(lapsing).get("bidId").asText()));
    assertThat(ended.get("state").asText()).isEqualTo("EXPIRED");
  }

  @Test
  @Requirement("BR-Q-2")
  void a_bid_that_was_live_at_the_close_wins_however_late_the_closer_is() {
    var closesAt = Instant.now().plusSeconds(5);
    var lot = Lot.of(api, closesAt, "{\"leaseSeconds\":5}");
    Await.moment(closesAt.minusMillis(3_500));
    var bid = lot.bid("ann", 500);
    var leaseUntil = Api.time(api.read(bid.id()), "leaseUntil");
    assertThat(leaseUntil).isAfter(closesAt);
    Await.moment(leaseUntil.plusMillis(200));

    service.context().getBean(HoldService.class).sweep(poolOf(lot)).toCompletableFuture().join();
    assertThat(lot.stateOf(bid)).as("frozen").isEqualTo("HELD");
    var closed = result(lot.close());

    assertThat(closed.get("winner").get("bidId").asText()).isEqualTo(bid.id());
    assertThat(Instant.parse(closed.get("closedAt").asText()))
        .isEqualTo(closesAt.truncatedTo(ChronoUnit.MILLIS));
  }

  @Test
  void after_the_close_bids_are_neither_taken_nor_changed() {
    var closesAt = Instant.now().plusSeconds(4);
    var lot = Lot.of(api, closesAt, "{}");
    var bid = lot.bid("ann", 500);
    Await.moment(closesAt);

    var late = lot.place(Api.token(), "bob", 900);

    assertThat(late.statusCode()).isEqualTo(409);
    assertThat(Api.code(late)).isEqualTo("auction-closed");
    assertThat(Api.code(lot.place(Api.token(), "ann", 900))).isEqualTo("auction-closed");
    assertThat(Api.code(api.heartbeat(bid.id(), "ann", bid.fence()))).isEqualTo("auction-closed");
    assertThat(Api.code(api.release(bid.id(), Api.token(), "ann"))).isEqualTo("auction-closed");
    assertThat(Api.code(api.expire(bid.id(), Api.token(), true))).isEqualTo("auction-closed");
    assertThat(lot.shown().get("state").asText()).isEqualTo("CLOSING");
    assertThat(result(lot.close()).get("winner").get("bidId").asText()).isEqualTo(bid.id());
    assertThat(Api.code(lot.place(Api.token(), "bob", 900))).isEqualTo("auction-closed");
    assertThat(Api.code(api.release(bid.id(), Api.token(), "ann"))).isEqualTo("not-held");
    assertThat(Api.code(api.confirm(bid, Api.token(), "ann", "order")))
        .isEqualTo("replay-duplicate");
  }

  @Test
  void a_bid_of_a_closed_auction_is_not_in_redis_any_more(TestServers servers) {
    var lot = Lot.of(api);
    var winner = lot.bid("ann", 500);
    var loser = lot.bid("bob", 400);

    lot.close();

    Await.until(
        RetryingClient.PATIENCE,
        () ->
            servers.record(lot.pool(), winner.fence()) == null
                && servers.record(lot.pool(), loser.fence()) == null);
    assertThat(rows.number("SELECT count(*) FROM outbox WHERE pool = ?", lot.pool())).isZero();
  }

  /// As after a pause: the closer woke up with a sequence that others have gone past.
  @Test
  @Requirement("BR-Q-5")
  void a_closer_with_an_older_sequence_is_refused() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", 500);
    api.get("/v1/pools/" + lot.pool() + "/holds"); // drains the journal
    rows.change(
        "INSERT INTO sequence_cursor (pool, committed_sequence) VALUES (?, ?)",
        lot.pool(),
        bid.fence() + 1);
    var ledger = service.context().getBean(AuctionLedger.class);

    var decided = ledger.decide(poolOf(lot), new OneClose(bid.fence()));

    assertThat(decided).isEmpty();
    assertThat(sold(lot)).isEmpty();
    assertThat(lot.stateOf(bid)).isEqualTo("HELD");
  }

  /// The bids were stopped and drained, but Redis was lost since.
  @Test
  @Requirement("BR-Q-5")
  void a_close_of_an_earlier_epoch_decides_nothing() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", 500);
    var ledger = service.context().getBean(AuctionLedger.class);
    var scripts = service.context().getBean(AuctionScripts.class);
    ScriptReplies.await(scripts.close(new PoolName(lot.pool()), true));
    service.context().getBean(JournalDrainer.class).drainAll(new PoolName(lot.pool()));
    rows.change("UPDATE pool SET epoch = epoch + 1 WHERE pool = '%s'".formatted(lot.pool()));

    assertThatThrownBy(() -> ledger.decide(poolOf(lot), new OneClose(bid.fence())))
        .hasMessageContaining("Redis was lost");

    assertThat(sold(lot)).isEmpty();
    Await.until(Duration.ofSeconds(20), () -> lot.close().statusCode() == 200); // in the next epoch
    assertThat(sold(lot)).containsExactly(bid.id() + " lot 500");
  }

  @Test
  @Requirement("BR-Q-5")
  void a_close_that_is_not_drained_decides_nothing() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", 500);
    var ledger = service.context().getBean(AuctionLedger.class);

    assertThatThrownBy(() -> ledger.decide(poolOf(lot), new OneClose(bid.fence())))
        .hasMessageContaining("not drained");

    assertThat(rows.number("SELECT count(*) FROM sequence_cursor WHERE pool = ?", lot.pool()))
        .isZero();
    assertThat(result(lot.close()).get("winner").get("bidId").asText()).isEqualTo(bid.id());
  }

  /// A queue with a close that this test makes up.
  private record OneClose(long sequence) implements SequenceQueue<AuctionClose> {
    @Override
    public List<AuctionClose> head(int max) {
      return List.of(new AuctionClose(new Epoch(sequence >> 32), sequence, Instant.now()));
    }

    @Override
    public void remove(List<AuctionClose> committed) {}

    @Override
    public void putBehind(List<AuctionClose> overtaken) {}
  }

  private static Pool poolOf(Lot lot) {
    return service
        .context()
        .getBean(PoolRegistry.class)
        .find(new PoolName(lot.pool()))
        .orElseThrow();
  }

  private static JsonNode result(HttpResponse<String> closed) {
    assertThat(closed.statusCode()).as(closed.body()).isEqualTo(200);
    return Http.json(closed);
  }

  private static List<String> sold(Lot lot) {
    return rows.texts(
        """
        SELECT concat_ws(' ', hold_id, item, price_cents) FROM commitment
         WHERE pool = ? AND voided_at IS NULL
        """,
        lot.pool());
  }
}
