package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Sales of units by two instances: never more than the capacity, whatever runs at once.
@ExtendWith(RealServers.class)
class StockSaleTest {
  private static final String MANY_HOLDS = "{\"maxHoldsPerRequester\":1000}";

  private static TestServers servers;
  private static Service other;
  private static Api api;
  private static List<Api> apis;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    other = RealServers.start(servers, Map.of());
    api = Api.of(service);
    apis = List.of(api, Api.of(other));
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    other.close();
    assertNothingIsBroken(api);
  }

  @Test
  @Requirement("BR-C-3")
  void many_buyers_on_two_instances_sell_the_capacity_and_not_one_more() {
    var stock = Stock.of(api, 40, MANY_HOLDS);

    var sold =
        Together.run(
            60,
            i -> {
              var shop = new Stock(apis.get(i % 2), stock.pool());
              var placed = RetryingClient.decided(() -> shop.place("p" + i, "u" + i, 1));
              if (placed.statusCode() != 201) {
                return 0;
              }
              var hold = Hold.of(placed);
              var answer =
                  RetryingClient.decided(
                      () -> shop.api().confirm(hold, "c" + i, "u" + i, "order-" + i));
              return answer.statusCode() == 200 ? 1 : 0;
            });

    assertThat(sold.stream().mapToInt(Integer::intValue).sum()).isEqualTo(40);
    assertThat(stock.row(rows)).isEqualTo("40 0");
    Await.until(RetryingClient.PATIENCE, () -> stock.counts().equals("0 0 40"));
  }

  @Test
  @Requirement("BR-C-3")
  void random_holds_sales_parts_releases_and_voids_add_up() {
    var stock = Stock.of(api, 30, MANY_HOLDS);

    var left =
        Together.run(12, i -> shop(new Stock(apis.get(i % 2), stock.pool()), i)).stream()
            .mapToInt(Integer::intValue)
            .sum();

    assertThat(stock.row(rows)).isEqualTo(left + " 0");
    Await.until(RetryingClient.PATIENCE, () -> stock.counts().equals((30 - left) + " 0 " + left));
  }

  /// Returns how many units it has bought and not given back.
  private static int shop(Stock stock, int shopper) {
    var random = ThreadLocalRandom.current();
    var bought = 0;
    for (var i = 0; i < 12; i++) {
      var name = "s" + shopper + "-" + i;
      var quantity = random.nextInt(1, 5);
      var placed = RetryingClient.decided(() -> stock.place(name, name, quantity));
      if (placed.statusCode() != 201) {
        continue;
      }
      var hold = Hold.of(placed);
      if (random.nextInt(4) == 0) {
        RetryingClient.decided(() -> stock.api().release(hold.id(), name + "-r", name));
        continue;
      }
      var part = random.nextInt(1, quantity + 1);
      var sold =
          RetryingClient.decided(
              () -> stock.api().confirm(hold, name + "-c", name, name, ",\"quantity\":" + part));
      assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
      var back = random.nextInt(0, part + 1);
      if (back > 0) {
        var voided = giveBack(stock.api(), hold, back);
        assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
      }
      bought += part - back;
    }
    return bought;
  }

  private static HttpResponse<String> giveBack(Api api, Hold hold, int units) {
    return api.post(
        "/v1/commitments/cm~" + hold.id() + "/void",
        Api.token(),
        "{\"refund\":\"none\",\"quantity\":%d}".formatted(units));
  }

  @Test
  @Requirement("BR-C-3")
  void the_table_itself_refuses_to_sell_more_than_there_is() {
    var stock = Stock.of(api, 5);

    for (var change :
        List.of("sold = 6", "sold = -1", "claimed = 6", "claimed = -1", "sold = 3, claimed = 3")) {
      assertThatThrownBy(
              () -> rows.change("UPDATE stock SET " + change + " WHERE pool = ?", stock.pool()))
          .as(change)
          .hasStackTraceContaining("within_capacity");
    }
  }

  /// Another instance has sold since this one has seen the stock.
  @Test
  void a_sale_at_an_old_version_reads_the_stock_again() {
    var stock = Stock.of(api, 10);
    api.confirm(stock.hold("ann", 1), Api.token(), "ann", "order-1");
    apis.getLast().confirm(stock.hold("bob", 1), Api.token(), "bob", "order-2");

    var sold = api.confirm(stock.hold("cid", 1), Api.token(), "cid", "order-3");

    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    assertThat(stock.row(rows)).isEqualTo("3 0");
    assertThat(rows.texts("SELECT version::text FROM stock WHERE pool = ?", stock.pool()))
        .containsExactly("3");
  }

  /// Redis would let it pass: somebody has changed the stock behind its back.
  @Test
  @Requirement("BR-C-2")
  void what_postgres_does_not_have_is_not_sold() {
    var stock = Stock.of(api, 3);
    var hold = stock.hold("ann", 3);
    rows.change("UPDATE stock SET sold = 1, version = version + 1 WHERE pool = ?", stock.pool());

    var refused = api.confirm(hold, Api.token(), "ann", "order-1");

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("not-held");
    rows.change("UPDATE stock SET sold = 0, version = version + 1 WHERE pool = ?", stock.pool());
  }

  @Test
  void a_sale_has_the_price_of_its_units_and_names_them() {
    var stock = Stock.of(api, 5);
    var hold = stock.hold("ann", 3);

    stock.confirm(hold, "ann", 2);

    assertThat(
            rows.texts(
                "SELECT item || ' ' || price_cents FROM commitment WHERE hold_id = ? ORDER BY item",
                hold.id()))
        .containsExactly(hold.fence() + "-1 2500", hold.fence() + "-2 2500");
  }

  @Test
  void the_event_of_a_part_tells_what_was_sold_and_what_was_freed() {
    var stock = Stock.of(api, 5);
    var hold = stock.hold("ann", 3);
    stock.confirm(hold, "ann", 2);

    var events = "/v1/pools/" + stock.pool() + "/events";
    Await.until(RetryingClient.PATIENCE, () -> api.get(events).body().contains("hold.confirmed"));

    assertThat(api.get(events).body())
        .contains("\"freedQuantity\":1")
        .contains("\"quantity\":2")
        .contains("\"totalCents\":5000");
  }

  @Test
  void units_of_a_sale_are_voided_in_parts() {
    var stock = Stock.of(api, 5);
    var hold = stock.hold("ann", 3);
    api.confirm(hold, Api.token(), "ann", "order-1");

    assertThat(giveBack(api, hold, 4).statusCode()).isEqualTo(400);
    assertThat(giveBack(api, hold, 2).statusCode()).isEqualTo(200);
    assertThat(stock.row(rows)).isEqualTo("1 0");
    assertThat(stock.counts()).isEqualTo("4 0 1");
    assertThat(giveBack(api, hold, 2).statusCode()).isEqualTo(400);
    assertThat(giveBack(api, hold, 1).statusCode()).isEqualTo(200);

    assertThat(Api.code(giveBack(api, hold, 1))).isEqualTo("already-voided");
    assertThat(stock.counts()).isEqualTo("5 0 0");
    assertThat(rows.texts("SELECT quantity::text FROM reversal WHERE hold_id = ?", hold.id()))
        .containsExactlyInAnyOrder("2", "1");
  }

  @Test
  void holds_and_sales_survive_a_loss_of_redis() {
    var stock = Stock.of(api, 10);
    api.confirm(stock.hold("ann", 2), Api.token(), "ann", "order-1");
    var hold = stock.hold("bob", 3);
    Await.until(RetryingClient.PATIENCE, () -> rows.stateOf(hold).equals("HELD"));

    servers.redis(RedisCommands::flushall);

    RetryingClient.decided(() -> stock.place(Api.token(), "cid", 6));
    assertThat(stock.counts()).isEqualTo("5 3 2");
    var sold = RetryingClient.decided(() -> api.confirm(hold, "c-" + hold.id(), "bob", "order-2"));
    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    assertThat(stock.counts()).isEqualTo("5 0 5");
  }

  @Test
  void a_stock_that_redis_has_wrong_is_put_right() {
    var stock = Stock.of(api, 10);
    api.confirm(stock.hold("ann", 2), Api.token(), "ann", "order-1");
    servers.redis(
        redis -> redis.hset("{p:%s}:meta".formatted(stock.pool()), "item:stock", "0 0/10"));

    Await.until(
        RetryingClient.PATIENCE,
        () ->
            "1 2/10"
                .equals(
                    servers.redis(
                        redis -> redis.hget("{p:%s}:meta".formatted(stock.pool()), "item:stock"))));
  }

  private static void assertNothingIsBroken(Api api) {
    for (var check : Http.json(api.get("/v1/audit/report")).get("checks")) {
      if (check.get("id").asText().equals("DRIFT-REDIS")) {
        continue; // a test has changed Redis
      }
      assertThat(check.get("violations").asLong())
          .as(check.get("id").asText() + ": " + check.get("statement").asText())
          .isZero();
    }
  }
}
