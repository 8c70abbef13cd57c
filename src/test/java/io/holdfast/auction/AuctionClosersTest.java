package io.holdfast.auction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.redis.Script;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Several closers of one auction, at once or one after the death of another.
@ExtendWith(RealServers.class)
class AuctionClosersTest {
  private static TestServers servers;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @AfterEach
  void nothing_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  void an_auction_closes_by_itself_at_its_time() {
    var lot = Lot.of(api, Duration.ofSeconds(4), "{}");
    lot.bid("ann", 300);
    var bid = lot.bid("bob", 500);

    Await.until(RetryingClient.PATIENCE, () -> lot.shown().get("state").asText().equals("CLOSED"));

    assertThat(lot.shown().get("winningBid").asText()).isEqualTo(bid.id());
    Await.until(RetryingClient.PATIENCE, () -> lot.stateOf(bid).equals("CONFIRMED"));
  }

  @Test
  @Requirement("BR-Q-2")
  void two_closers_get_one_result(@TempDir Path folder) {
    try (var other = Instances.start(servers, folder.resolve("data"), Map.of())) {
      var lot = Lot.of(api);
      for (var i = 0; i < 20; i++) {
        lot.bid("bidder-" + i, 500 + i % 7);
      }
      var there = lot.by(Api.of(other));

      var answers = Together.run(8, i -> (i % 2 == 0 ? lot : there).close());

      assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(200);
      assertThat(answers.stream().map(HttpResponse::body).distinct()).hasSize(1);
      assertOneResult(lot);
    }
  }

  /// Where the closer dies.
  enum Death {
    BEFORE_BIDS_ARE_STOPPED((_, redis) -> redis.cutAt(sha("auction/close"))),
    AFTER_BIDS_ARE_STOPPED((_, redis) -> redis.cutAtReplyTo(sha("auction/close"))),
    BEFORE_THE_JOURNAL_IS_READ((_, redis) -> redis.cutAt(sha("journal/read"))),
    BEFORE_THE_WINNER_IS_PICKED((postgres, _) -> postgres.cutAt("FOR UPDATE OF h")),
    AFTER_THE_SALE_IS_WRITTEN((postgres, _) -> postgres.cutAtReplyTo("'hold.confirmed'")),
    BEFORE_THE_COMMIT((postgres, _) -> postgres.cutAt("auction.closed")),
    AFTER_THE_COMMIT((postgres, _) -> postgres.cutAt("INSERT INTO verification")),
    BEFORE_REDIS_IS_TOLD((_, redis) -> redis.cutAt(sha("hold/settle")));

    private final BiConsumer<FaultProxy, FaultProxy> fault;

    Death(BiConsumer<FaultProxy, FaultProxy> fault) {
      this.fault = fault;
    }

    private static String sha(String script) {
      return Script.named(script).sha1();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Requirement("BR-Q-2")
  void wherever_a_closer_dies_another_one_gets_the_one_result(Death death, @TempDir Path folder) {
    var lot = Lot.of(api);
    lot.bid("ann", 300);
    var winner = lot.bid("bob", 500);
    lot.bid("cid", 500);
    try (var postgres = FaultProxy.before(servers.jdbcUrl());
        var redis = FaultProxy.before(servers.redisUri())) {
      var settings =
          Map.<String, Object>of(
              "jdbc.url", postgres.insteadOf(servers.jdbcUrl()),
              "redis.uri", redis.insteadOf(servers.redisUri()));
      try (var dying = Instances.start(servers, folder.resolve("data"), settings)) {
        var tasks = dying.context().getBean(PeriodicTasks.class);
        List.of("auction-close", "journal-drain", "expiry-sweep", "outbox-relay")
            .forEach(task -> TaskControl.pause(tasks, task));
        death.fault.accept(postgres, redis);

        lot.by(Api.of(dying)).close();

        assertThat(redis.isStruck() && postgres.isStruck()).as("the fault struck").isTrue();
        TaskControl.kill(tasks);
        redis.heal();
        postgres.heal();
      }
    }

    Await.until(RetryingClient.PATIENCE, () -> lot.shown().get("state").asText().equals("CLOSED"));

    assertThat(lot.shown().get("winningBid").asText()).isEqualTo(winner.id());
    Await.until(RetryingClient.PATIENCE, () -> lot.stateOf(winner).equals("CONFIRMED"));
    Await.until(
        RetryingClient.PATIENCE,
        () -> rows.number("SELECT count(*) FROM outbox WHERE pool = ?", lot.pool()) == 0);
    assertOneResult(lot);
  }

  private static void assertOneResult(Lot lot) {
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE pool = ?", lot.pool())).isOne();
    assertThat(events(lot, "auction.closed")).isEqualTo(1);
    assertThat(events(lot, "hold.confirmed")).isEqualTo(1);
    assertThat(
            rows.number("SELECT count(*) FROM hold WHERE pool = ? AND state = 'HELD'", lot.pool()))
        .isZero();
  }

  private static long events(Lot lot, String type) {
    return rows.number(
        """
        SELECT (SELECT count(*) FROM event WHERE pool = ? AND type = ?)
               + (SELECT count(*) FROM event_fresh WHERE pool = ? AND type = ?)
        """,
        lot.pool(),
        type,
        lot.pool(),
        type);
  }
}
