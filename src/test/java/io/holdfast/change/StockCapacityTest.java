package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.pool.PoolName;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.PoolScripts.Limit;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The capacity of a stock changes while units are held and sold by two instances.
@ExtendWith(RealServers.class)
class StockCapacityTest {
  private static final String MANY_HOLDS = "{\"maxHoldsPerRequester\":1000}";

  private static Service other;
  private static Api api;
  private static List<Api> apis;
  private static Rows rows;
  private static PoolScripts redis;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    other = RealServers.start(servers, Map.of());
    api = Api.of(service);
    apis = List.of(api, Api.of(other));
    rows = Rows.of(servers);
    redis = service.context().getBean(PoolScripts.class);
  }

  @AfterAll
  static void close() {
    other.close();
  }

  @Test
  void the_capacity_is_raised_and_lowered_down_to_what_is_in_use() {
    var stock = Stock.of(api, 5);
    api.confirm(stock.hold("ann", 2), Api.token(), "ann", "order-1");
    stock.hold("bob", 2);
    var token = Api.token();

    assertThat(capacity(stock, token, 10).statusCode()).isEqualTo(200);
    assertThat(stock.counts()).isEqualTo("6 2 2");
    var refused = capacity(stock, Api.token(), 3);
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("capacity-in-use");
    assertThat(stock.counts()).isEqualTo("6 2 2");
    assertThat(capacity(stock, Api.token(), 4).statusCode()).isEqualTo(200);
    assertThat(stock.counts()).isEqualTo("0 2 2");
    assertThat(stock.place(Api.token(), "cid", 1).statusCode()).isEqualTo(409);
    var replayed = capacity(stock, token, 10);

    assertThat(Api.isReplay(replayed)).isTrue();
    assertThat(stock.counts()).as("a replay changes nothing").isEqualTo("0 2 2");
    assertThat(Http.json(api.get("/v1/pools/" + stock.pool())).get("capacity").asInt())
        .isEqualTo(4);
    assertThat(capacity(new Stock(api, api.pool(1)), Api.token(), 3).statusCode()).isEqualTo(400);
    assertThat(capacity(new Stock(api, "no-such-pool"), Api.token(), 3).statusCode())
        .isEqualTo(404);
  }

  /// Redis has not seen the sales yet.
  @Test
  void a_capacity_below_what_postgres_has_sold_is_refused() {
    var stock = Stock.of(api, 5);
    rows.change("UPDATE stock SET sold = 3, version = version + 1 WHERE pool = ?", stock.pool());

    var refused = capacity(stock, Api.token(), 2);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("capacity-in-use");
    rows.change("UPDATE stock SET sold = 0, version = version + 1 WHERE pool = ?", stock.pool());
  }

  private static HttpResponse<String> capacity(Stock stock, String token, long capacity) {
    return api.patch("/v1/pools/" + stock.pool(), token, "{\"capacity\":%d}".formatted(capacity));
  }

  @Test
  void one_token_changes_two_pools() {
    var token = Api.token();

    assertThat(capacity(Stock.of(api, 5, "{}"), token, 3).statusCode()).isEqualTo(200);
    assertThat(capacity(Stock.of(api, 5, "{}"), token, 3).statusCode()).isEqualTo(200);
  }

  @Test
  void a_pool_that_is_created_after_a_refused_change_is_changed_under_the_same_token() {
    var token = Api.token();
    var pool = "later-" + UUID.randomUUID();
    assertThat(capacity(new Stock(api, pool), token, 3).statusCode()).isEqualTo(404);
    var created = "{\"pool\":\"%s\",\"kind\":\"STOCK\",\"capacity\":5,\"priceCents\":1}";
    assertThat(api.post("/v1/pools", Api.token(), created.formatted(pool)).statusCode())
        .isEqualTo(201);

    assertThat(capacity(new Stock(api, pool), token, 3).statusCode()).isEqualTo(200);
  }

  /// Between the first and the second step of the change, a sale brings the level of Postgres to
  /// Redis, with the capacity that is about to be lowered.
  @Test
  void nothing_is_granted_above_a_capacity_that_is_about_to_be_lowered() {
    var stock = Stock.of(api, 10, MANY_HOLDS);
    var name = new PoolName(stock.pool());
    var hold = stock.hold("ann", 2);

    assertThat(redis.limit(name, "change", 3)).isEqualTo(new Limit.Limited());
    assertThat(stock.confirm(hold, "ann", 2).statusCode()).isEqualTo(200);
    Await.until(Duration.ofSeconds(10), () -> stock.counts().equals("8 0 2"));

    assertThat(stock.place(Api.token(), "bob", 2).statusCode()).isEqualTo(409);
    assertThat(stock.place(Api.token(), "bob", 1).statusCode()).isEqualTo(201);
    redis.lift(name, "change");
    assertThat(stock.place(Api.token(), "bob", 2).statusCode()).isEqualTo(201);
  }

  @Test
  void two_changes_at_the_same_time_do_not_lift_the_limits_of_each_other() {
    var stock = Stock.of(api, 10, MANY_HOLDS);
    var name = new PoolName(stock.pool());

    redis.limit(name, "lower", 3);
    redis.limit(name, "higher", 5);
    var aboveBoth = stock.place(Api.token(), "ann", 4);
    redis.lift(name, "higher");
    var aboveOne = stock.place(Api.token(), "ann", 4);
    redis.lift(name, "lower");
    var afterBoth = stock.place(Api.token(), "ann", 4);

    assertThat(aboveBoth.statusCode()).as(aboveBoth.body()).isEqualTo(409);
    assertThat(aboveOne.statusCode()).as(aboveOne.body()).isEqualTo(409);
    assertThat(afterBoth.statusCode()).as(afterBoth.body()).isEqualTo(201);
  }

  /// Redis has not got the capacity to which another change has just raised the stock.
  @Test
  void a_capacity_that_is_lower_in_postgres_only_is_a_limit_too() {
    var stock = Stock.of(api, 5, MANY_HOLDS);
    var name = new PoolName(stock.pool());

    redis.limit(name, "lower", 7);
    redis.compare(name, List.of("stock", "1 0/10"));
    var above = stock.place(Api.token(), "ann", 8);
    redis.lift(name, "lower");

    assertThat(above.statusCode()).as(above.body()).isEqualTo(409);
  }

  @Test
  void whatever_is_held_while_the_capacity_falls_can_be_sold() {
    var stock = Stock.of(api, 80, MANY_HOLDS);

    var answers = Together.run(16, i -> i == 0 ? lower(stock, 75, 15) : buy(stock, i, 5));

    assertThat(answers.stream().flatMap(List::stream)).containsOnly(200, 201, 409);
    var counts = Http.json(api.get("/v1/pools/" + stock.pool()));
    assertThat(counts.get("counts").get("free").asLong()).as(counts.toString()).isNotNegative();
    assertThat(rows.texts("SELECT capacity::text FROM stock WHERE pool = ?", stock.pool()))
        .containsExactly(counts.get("capacity").asText());
  }

  private static List<Integer> lower(Stock stock, int from, int to) {
    return IntStream.iterate(from, n -> n >= to, n -> n - 5)
        .mapToObj(n -> capacity(stock, Api.token(), n).statusCode())
        .toList();
  }

  /// Fails if a hold that was granted cannot be sold.
  private static List<Integer> buy(Stock stock, int number, int times) {
    var shop = new Stock(apis.get(number % 2), stock.pool());
    var answers = new ArrayList<Integer>();
    for (var n = 0; n < times; n++) {
      var placed = shop.place(Api.token(), "u" + number, 1);
      answers.add(placed.statusCode());
      if (placed.statusCode() == 201) {
        var sold = shop.confirm(Api.Hold.of(placed), "u" + number, 1);
        assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
      }
    }
    return answers;
  }
}
