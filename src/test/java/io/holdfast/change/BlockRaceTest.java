package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.commitment.ItemBlocking;
import io.holdfast.commitment.ItemBlocking.Blocked;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transaction;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.PoolScripts.Mark;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Holds, sales and blocks of one item meet on two instances, and exactly one of them has it.
@ExtendWith(RealServers.class)
class BlockRaceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static TestServers servers;
  private static Service service;
  private static Service other;
  private static Api api;
  private static Api there;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service shared) {
    servers = given;
    service = shared;
    other = RealServers.start(given, Map.of());
    api = Api.of(shared);
    there = Api.of(other);
    rows = Rows.of(given);
  }

  @AfterAll
  static void close() {
    other.close();
  }

  /// Redis lost its data between the first and the second step, and a hold was placed since.
  @Test
  @Requirement("AU-11")
  void postgres_decides_no_block_on_a_promise_of_an_earlier_epoch_or_one_that_is_too_old() {
    var pool = new PoolName(api.pool(3));
    var scripts = service.context().getBean(PoolScripts.class);
    var early = (Mark.Marked) scripts.mark(pool, "slow-1", List.of("A-1"));
    var struck = servers.redis(redis -> redis.del("{p:%s}:meta".formatted(pool)));
    var hold = there.hold(pool.value(), "ann", "A-1");
    var late = (Mark.Marked) scripts.mark(pool, "slow-2", List.of("A-2"));

    assertThat(struck).isEqualTo(1);
    assertThat(decide(pool, early.epoch(), early.until(), "A-1")).isEqualTo(new Blocked.Outdated());
    assertThat(decide(pool, late.epoch(), Instant.now().minusSeconds(1), "A-2"))
        .isEqualTo(new Blocked.Outdated());
    assertThat(decide(pool, late.epoch(), late.until(), "A-2")).isInstanceOf(Blocked.Done.class);
    assertThat(states(pool.value())).containsExactly("A-2 BLOCKED");
    assertThat(there.confirm(hold, Api.token(), "ann", "order-1").statusCode()).isEqualTo(200);
    rows.change("UPDATE item SET status = 'FREE' WHERE pool = ? AND item = 'A-2'", pool.value());
  }

  private static Blocked decide(PoolName pool, Epoch epoch, Instant until, String item) {
    try (var connection = servers.connection()) {
      connection.setAutoCommit(false);
      var done =
          ItemBlocking.block(
              new Transaction(connection), pool, epoch, until, List.of(item), List.of());
      connection.commit();
      return done;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Another instance has begun to load the pool and has died.
  @Test
  void a_block_in_a_pool_whose_epoch_has_risen_loads_it_and_is_decided_then() {
    var pool = api.pool(2);
    var hold = there.hold(pool, "ann", "A-2");
    var struck = rows.change("UPDATE pool SET epoch = epoch + 1 WHERE pool = ?", pool);

    var blocked = api.block(pool, "A-1");

    assertThat(struck).isEqualTo(1);
    assertThat(blocked.statusCode()).as(blocked.body()).isEqualTo(200);
    assertThat(there.stateOf(pool, "A-1")).isEqualTo("BLOCKED");
    assertThat(there.heartbeat(hold.id(), "ann", hold.fence()).statusCode()).isEqualTo(200);
  }

  /// The other call has committed, and has not told Redis yet. A hold could be placed as soon as it
  /// does.
  @Test
  @Requirement("AU-11")
  void an_item_that_another_call_is_bringing_back_is_not_blocked_again_before_redis_knows() {
    var pool = api.pool(2);
    assertThat(api.block(pool, "A-1").statusCode()).isEqualTo(200);
    rows.change("UPDATE item SET status = 'FREE' WHERE pool = ? AND item = 'A-1'", pool);

    var early = api.block(pool, "A-1");
    var scripts = service.context().getBean(PoolScripts.class);
    var version = rows.number("SELECT version FROM item WHERE pool = ? AND item = 'A-1'", pool);
    scripts.compare(new PoolName(pool), List.of("A-1", Long.toString(version)));
    var later = api.block(pool, "A-1");

    assertThat(early.statusCode() + Api.code(early)).isEqualTo("409attempt-collision");
    assertThat(later.statusCode()).as(later.body()).isEqualTo(200);
    assertThat(there.stateOf(pool, "A-1")).isEqualTo("BLOCKED");
  }

  @Test
  @Requirement("AU-11")
  void postgres_never_sells_a_blocked_item_whatever_redis_holds() {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1");
    rows.change("UPDATE item SET status = 'BLOCKED' WHERE pool = ? AND item = 'A-1'", pool);

    var confirmed = api.confirm(hold, Api.token(), "ann", "order-1");

    assertThat(confirmed.statusCode() + Api.code(confirmed)).isEqualTo("409not-held");
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool)).isZero();
    assertThatThrownBy(
            () ->
                rows.change(
                    "UPDATE item SET status = 'SOLD', fence = 9007199254740991, holder = 'h'"
                        + " WHERE pool = ? AND item = 'A-1'",
                    pool))
        .hasStackTraceContaining("cannot go from BLOCKED");
    rows.change("UPDATE item SET status = 'FREE' WHERE pool = ? AND item = 'A-1'", pool);
  }

  /// Holds, sales and blocks of the same few seats on two instances. One of them wins each seat.
  @Test
  @Requirement("AU-11")
  void a_seat_that_is_blocked_and_bought_at_the_same_time_is_one_of_both() {
    var seats = IntStream.rangeClosed(1, 12).mapToObj(i -> "A-" + i).toList();
    var pool = api.pool(seats.size(), "{\"maxHoldsPerRequester\":1000}");

    var answers = Together.run(24, i -> i % 3 == 0 ? blocks(i, pool, seats) : buys(i, pool, seats));

    var all = answers.stream().flatMap(List::stream).collect(Collectors.toSet());
    assertThat(all).contains("blocked 200", "blocked 409", "held 201", "held 409");
    assertThat(all)
        .isSubsetOf("blocked 200", "blocked 409", "held 201", "held 409", "sold 200", "freed 200");
    assertThat(all).as("a hold of a seat is never lost to a block").contains("sold 200");
    assertThat(
            rows.number(
                "SELECT count(*) FROM item i JOIN commitment c USING (pool, item)"
                    + " WHERE pool = ? AND status = 'BLOCKED'",
                pool))
        .isZero();
    var sold = rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool);
    Await.until(
        PATIENCE,
        () ->
            Http.json(there.get("/v1/pools/" + pool))
                .get("counts")
                .toString()
                .equals(
                    "{\"free\":%d,\"held\":0,\"sold\":%d,\"blocked\":0}"
                        .formatted(seats.size() - sold, sold)));
    var report = Http.json(api.get("/v1/audit/report"));
    for (var check : report.get("checks")) {
      if (check.get("id").asText().startsWith("AU-BLOCK")) {
        assertThat(check.get("examined").asInt()).isPositive();
      }
      if (!check.get("id").asText().equals("DRIFT-REDIS")) { // the other tests make it drift
        assertThat(check.get("violations").asInt()).as(check.toString()).isZero();
      }
    }
  }

  private static List<String> buys(int number, String pool, List<String> seats) {
    var at = number % 2 == 0 ? api : there;
    var answers = new ArrayList<String>();
    for (var n = 0; n < 12; n++) {
      var seat = seats.get(ThreadLocalRandom.current().nextInt(seats.size()));
      var placed = at.place(pool, Api.token(), "u" + number, seat);
      answers.add("held " + placed.statusCode());
      if (placed.statusCode() == 201 && n % 4 == 3) {
        var order = "order-" + number + "-" + n;
        var sold = at.confirm(Api.Hold.of(placed), Api.token(), "u" + number, order);
        answers.add("sold " + sold.statusCode());
      } else if (placed.statusCode() == 201) {
        at.release(Api.Hold.of(placed).id(), Api.token(), "u" + number);
      }
    }
    return answers;
  }

  private static List<String> blocks(int number, String pool, List<String> seats) {
    var at = number % 2 == 0 ? api : there;
    var answers = new ArrayList<String>();
    for (var n = 0; n < 8; n++) {
      var seat = seats.get(ThreadLocalRandom.current().nextInt(seats.size()));
      var blocked = at.block(pool, seat);
      answers.add("blocked " + blocked.statusCode());
      if (blocked.statusCode() == 200) {
        answers.add("freed " + at.unblock(pool, seat).statusCode());
      }
    }
    return answers;
  }

  private static List<String> states(String pool) {
    return rows.texts(
        "SELECT item || ' ' || status FROM item WHERE pool = ? AND status <> 'FREE' ORDER BY 1",
        pool);
  }
}
