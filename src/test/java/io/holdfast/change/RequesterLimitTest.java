package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A requester never has more items of a pool than it allows, held and bought together, on any of
/// two instances.
@ExtendWith(RealServers.class)
class RequesterLimitTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Map<String, Object> WITH_PAYMENTS = Map.of("holdfast.demo", "true");

  private static TestServers servers;
  private static Service one;
  private static Service other;
  private static Api api;
  private static Api there;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
    one = RealServers.start(given, WITH_PAYMENTS);
    other = RealServers.start(given, WITH_PAYMENTS);
    api = Api.of(one);
    there = Api.of(other);
    rows = Rows.of(given);
  }

  @AfterAll
  static void close() {
    one.close();
    other.close();
  }

  private static String limited(int items, int most) {
    return api.row(
        items, "{\"maxHoldsPerRequester\":1000,\"maxItemsPerRequester\":%d}".formatted(most));
  }

  @Test
  @Requirement("AU-12")
  void held_and_bought_items_count_together() {
    var pool = limited(8, 3);
    var bought = api.hold(pool, "ann", "A-1", "A-2");
    api.confirm(bought, Api.token(), "ann", "order-1");
    var token = Api.token();

    var tooMany = there.place(pool, token, "ann", "A-3", "A-4");
    var best =
        there.post(
            "/v1/pools/" + pool + "/holds",
            Api.token(),
            "{\"requester\":\"ann\",\"bestAvailable\":2}");
    var last = there.hold(pool, "ann", "A-3");
    var more = api.place(pool, Api.token(), "ann", "A-4");

    assertLimit(tooMany);
    assertThat(Http.json(tooMany).get("retryable").asBoolean()).isFalse();
    assertThat(Http.json(tooMany).get("detail").asText()).contains("maxItemsPerRequester");
    assertThat(there.place(pool, token, "ann", "A-3", "A-4").body()).isEqualTo(tooMany.body());
    assertLimit(best);
    assertLimit(more);
    assertThat(there.place(pool, Api.token(), "ben", "A-4").statusCode()).isEqualTo(201);
    there.release(last.id(), Api.token(), "ann");
    assertThat(api.place(pool, Api.token(), "ann", "A-5").statusCode()).isEqualTo(201);
  }

  @Test
  @Requirement("AU-12")
  void concurrent_calls_on_two_instances_get_as_many_items_as_allowed() {
    var pool = limited(40, 5);

    var answers =
        Together.run(
            40, i -> (i % 2 == 0 ? api : there).place(pool, Api.token(), "ann", "A-" + (i + 1)));

    assertThat(answers.stream().filter(answer -> answer.statusCode() == 201)).hasSize(5);
    answers.stream()
        .filter(answer -> answer.statusCode() != 201)
        .forEach(RequesterLimitTest::assertLimit);
  }

  @Test
  @Requirement("AU-12")
  void units_count_like_items() {
    var stock = Stock.of(api, 20, "{\"maxItemsPerRequester\":5,\"maxHoldsPerRequester\":100}");
    var first = stock.hold("ann", 4);
    stock.confirm(first, "ann", 3);

    assertLimit(stock.place(Api.token(), "ann", 3));
    assertThat(stock.place(Api.token(), "ann", 2).statusCode()).isEqualTo(201);
    assertLimit(stock.place(Api.token(), "ann", 1));
  }

  @Test
  @Requirement("AU-12")
  void a_voided_item_counts_no_more() {
    var pool = limited(4, 1);
    var bought = api.hold(pool, "ann", "A-1");
    var sold = Http.json(api.confirm(bought, Api.token(), "ann", "order-1"));
    assertLimit(api.place(pool, Api.token(), "ann", "A-2"));

    var voided =
        api.post(
            "/v1/commitments/" + sold.get("commitmentId").asText() + "/void",
            Api.token(),
            "{\"refund\":\"none\"}");

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    var again = new ArrayList<HttpResponse<String>>();
    Await.until(
        PATIENCE,
        () -> {
          again.add(there.place(pool, Api.token(), "ann", "A-2"));
          return again.getLast().statusCode() == 201;
        });
    var confirmed = there.confirm(Hold.of(again.getLast()), Api.token(), "ann", "order-2");
    assertThat(confirmed.statusCode()).as(confirmed.body()).isEqualTo(200);
  }

  @Test
  @Requirement("AU-12")
  void what_was_bought_and_held_counts_after_a_loss_of_redis() {
    var pool = limited(8, 3);
    var bought = api.hold(pool, "ann", "A-1");
    api.confirm(bought, Api.token(), "ann", "order-1");
    api.hold(pool, "ann", "A-2");
    var struck = servers.redis(redis -> redis.del("{p:%s}:meta".formatted(pool)));

    var tooMany = there.place(pool, Api.token(), "ann", "A-3", "A-4");
    var last = there.place(pool, Api.token(), "ann", "A-3");
    var more = there.place(pool, Api.token(), "ann", "A-4");

    assertThat(struck).isEqualTo(1);
    assertLimit(tooMany);
    assertThat(last.statusCode()).as(last.body()).isEqualTo(201);
    assertLimit(more);
  }

  /// Redis has forgotten what the requester holds; Postgres counts what is bought.
  @Test
  @Requirement("AU-12")
  void the_ledger_sells_no_more_than_allowed_whatever_redis_has_placed() {
    var pool = limited(40, 3);
    var holds = new ArrayList<Hold>();
    for (var i = 1; i <= 12; i++) {
      holds.add(api.hold(pool, "ann", "A-" + i));
      forget(pool);
    }

    var sales =
        Together.run(
            12,
            i ->
                (i % 2 == 0 ? api : there).confirm(holds.get(i), Api.token(), "ann", "order-" + i));

    assertThat(sales.stream().filter(sale -> sale.statusCode() == 200)).hasSize(3);
    sales.stream()
        .filter(sale -> sale.statusCode() != 200)
        .forEach(RequesterLimitTest::assertLimit);
    assertThat(bought(pool)).isEqualTo(3);
  }

  @Test
  @Requirement("AU-12")
  void checkouts_and_confirms_together_sell_no_more_than_allowed() {
    var pool = limited(8, 2);
    var holds = new ArrayList<Hold>();
    for (var i = 1; i <= 8; i++) {
      holds.add(api.hold(pool, "ann", "A-" + i));
      forget(pool);
    }

    var answers =
        Together.run(
            8,
            i ->
                i % 2 == 0
                    ? there.confirm(holds.get(i), Api.token(), "ann", "order-" + i)
                    : checkout(holds.get(i)));

    assertThat(bought(pool)).as(bodies(answers)).isEqualTo(2);
    assertThat(answers.stream().filter(answer -> answer.statusCode() == 200))
        .as(bodies(answers))
        .hasSize(2);
    assertOnlyLimited(answers);
  }

  @Test
  @Requirement("AU-12")
  void checkouts_sell_no_more_than_allowed() {
    var pool = limited(4, 2);
    var holds = new ArrayList<Hold>();
    for (var i = 1; i <= 4; i++) {
      holds.add(api.hold(pool, "ann", "A-" + i));
      forget(pool);
    }

    var answers = Together.run(4, i -> checkout(holds.get(i)));

    assertThat(bought(pool)).as(bodies(answers)).isEqualTo(2);
    assertOnlyLimited(answers);
  }

  /// Every answer that is not a sale names the limit.
  private static void assertOnlyLimited(List<HttpResponse<String>> answers) {
    assertThat(answers)
        .allSatisfy(
            answer -> {
              if (answer.statusCode() != 200) {
                assertThat(answer.body()).contains("hold-limit");
              }
            });
  }

  private static HttpResponse<String> checkout(Hold hold) {
    var body =
        "{\"holdId\":\"%s\",\"requester\":\"ann\",\"fence\":%d,\"payment\":{\"provider\":"
            + "\"simulator\",\"method\":\"ok\",\"amountCents\":500,\"currency\":\"EUR\"}}";
    return Http.post(
        api.base(),
        "/v1/checkouts",
        body.formatted(hold.id(), hold.fence()),
        "Authorization",
        "Bearer " + api.key(),
        "Idempotency-Key",
        Api.token(),
        "Prefer",
        "wait=20");
  }

  @Test
  @Requirement("AU-12")
  void a_limit_that_is_set_later_counts_what_was_bought_before() {
    var pool = api.pool(8);
    api.confirm(api.hold(pool, "ann", "A-1", "A-2"), Api.token(), "ann", "order-1");
    var held = there.hold(pool, "ann", "A-3");

    var changed =
        api.patch("/v1/pools/" + pool, Api.token(), "{\"policy\":{\"maxItemsPerRequester\":3}}");

    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    assertLimit(there.place(pool, Api.token(), "ann", "A-4"));
    assertThat(there.heartbeat(held.id(), "ann", held.fence()).statusCode()).isEqualTo(200);
    var sold = there.confirm(held, Api.token(), "ann", "order-2");
    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    var lifted =
        api.patch("/v1/pools/" + pool, Api.token(), "{\"policy\":{\"maxItemsPerRequester\":0}}");
    assertThat(lifted.statusCode()).as(lifted.body()).isEqualTo(200);
    assertThat(there.place(pool, Api.token(), "ann", "A-4").statusCode()).isEqualTo(201);
  }

  /// As after a loss of holds that Postgres did not know. The hash is that of the operator's ann.
  private static void forget(String pool) {
    var meta = "{p:%s}:meta".formatted(pool);
    var struck =
        servers.redis(redis -> redis.hdel(meta, "own:3a78163d70051e670f802401bc7ff01370b014bd"));
    assertThat(struck).isEqualTo(1);
  }

  private static long bought(String pool) {
    return rows.number(
        "SELECT count(*) FROM commitment WHERE pool = ? AND voided_at IS NULL", pool);
  }

  private static String bodies(List<HttpResponse<String>> answers) {
    return String.join("\n", answers.stream().map(HttpResponse::body).toList());
  }

  private static void assertLimit(HttpResponse<String> answer) {
    assertThat(answer.statusCode() + Api.code(answer)).as(answer.body()).isEqualTo("429hold-limit");
  }
}
