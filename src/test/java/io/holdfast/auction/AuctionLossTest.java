package io.holdfast.auction;

import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Redis loses all data while an auction runs. Drained bids come back, undrained ones are gone, and
/// the result says so. Nothing drains, sweeps or closes unless a test asks for it.
@ExtendWith(RealServers.class)
class AuctionLossTest {
  @TempDir static Path folder;

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    service = Instances.start(servers, folder.resolve("data"), Map.of());
    Instances.stopDraining(service);
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
  void nothing_else_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  void drained_bids_come_back_with_their_order_and_the_result_tells_of_the_loss() {
    var lot = Lot.of(api);
    var low = lot.bid("ann", 300);
    var first = lot.bid("bob", 500);
    var second = lot.bid("cid", 500);
    drain(lot);
    lot.bid("dan", 900);
    servers.redis(RedisCommands::flushdb);

    assertThat(decided(() -> api.read(first.id())).statusCode()).isEqualTo(200);
    assertThat(lot.top(10)).containsExactly(first.id(), second.id(), low.id());
    assertThat(Api.code(lot.place(Api.token(), "bob", 400))).isEqualTo("bid-too-low");
    var raised = lot.bid("ann", 400);
    assertThat(raised.fence()).isGreaterThan(second.fence());

    var closed = Http.json(lot.close());
    assertThat(closed.get("winner").get("bidId").asText()).isEqualTo(first.id());
    assertThat(closed.get("bids").asLong()).isEqualTo(3);
    assertThat(closed.get("bidsLost").asText()).isEqualTo("possible");
    assertThat(closed.get("redisLosses").asLong()).isEqualTo(1);
  }

  @Test
  void a_closed_auction_stays_closed() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", 500);
    var result = lot.close().body();
    servers.redis(RedisCommands::flushdb);

    var late = decided(() -> lot.place(Api.token(), "bob", 900));

    assertThat(Api.code(late)).isEqualTo("auction-closed");
    assertThat(lot.stateOf(bid)).isEqualTo("CONFIRMED");
    assertThat(lot.close().body()).isEqualTo(result);
    assertThat(api.counts(lot.pool())).isEqualTo("0 free, 0 held");
  }

  @Test
  void an_auction_that_the_operator_is_closing_stays_closed() {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", 500);
    drain(lot);
    rows.change("UPDATE auction SET closing_since = now() WHERE pool = ?", lot.pool());
    servers.redis(RedisCommands::flushdb);

    var late = decided(() -> lot.place(Api.token(), "bob", 900));

    assertThat(Api.code(late)).isEqualTo("auction-closed");
    assertThat(Http.json(lot.close()).get("winner").get("bidId").asText()).isEqualTo(bid.id());
  }

  @Test
  void a_loss_after_the_close_leaves_the_drained_bids_to_the_next_closer() {
    var closesAt = Instant.now().plusSeconds(5);
    var lot = Lot.of(api, closesAt, "{}");
    lot.bid("ann", 300);
    var bid = lot.bid("bob", 500);
    drain(lot);
    Await.moment(closesAt.plusMillis(10));
    servers.redis(RedisCommands::flushdb);

    var closed = decided(lot::close);

    assertThat(Http.json(closed).get("winner").get("bidId").asText()).isEqualTo(bid.id());
    assertThat(Api.code(lot.place(Api.token(), "cid", 900))).isEqualTo("auction-closed");
  }

  /// A server that took over has the data, and another run id.
  @Test
  void bids_that_survive_in_redis_keep_their_places() {
    var lot = Lot.of(api, Duration.ofHours(1), "{}");
    var first = lot.bid("ann", 500);
    var second = lot.bid("bob", 500);
    drain(lot);
    var undrained = lot.bid("cid", 700);
    servers.redis(redis -> redis.hset("{p:" + lot.pool() + "}:meta", "run_id", "another"));

    assertThat(decided(() -> api.read(first.id())).statusCode()).isEqualTo(200);

    assertThat(lot.top(10)).containsExactly(undrained.id(), first.id(), second.id());
    assertThat(Api.code(lot.place(Api.token(), "cid", 600))).isEqualTo("bid-too-low");
    assertThat(Http.json(lot.close()).get("winner").get("bidId").asText())
        .isEqualTo(undrained.id());
  }

  /// A page of holds is read from Postgres, after all that Redis has done was brought there.
  private static void drain(Lot lot) {
    assertThat(api.get("/v1/pools/" + lot.pool() + "/holds").statusCode()).isEqualTo(200);
  }
}
