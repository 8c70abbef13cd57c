package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.commitment.ItemStateQuery;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Holds and sales of a quantity.
@ExtendWith(RealServers.class)
@Tag("cluster")
class StockTest {
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @Test
  @Requirement("BR-T-3")
  void a_hold_of_a_quantity_lasts_fifteen_minutes() {
    var stock = Stock.of(api, 10);

    var placed = stock.place(Api.token(), "ann", 3);

    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    var hold = Http.json(placed);
    assertThat(hold.get("items")).isEmpty();
    assertThat(hold.get("quantity").asInt()).isEqualTo(3);
    assertThat(Duration.between(Api.time(placed, "placedAt"), Api.time(placed, "leaseUntil")))
        .isEqualTo(Duration.ofSeconds(900));
    assertThat(stock.counts()).isEqualTo("7 3 0");
  }

  @Test
  void more_than_is_left_is_refused_and_a_replay_gets_equal_bytes() {
    var stock = Stock.of(api, 5);
    stock.hold("ann", 3);
    var token = Api.token();

    var refused = stock.place(token, "bob", 3);

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("resource-unavailable");
    assertThat(stock.place(token, "bob", 3).body()).isEqualTo(refused.body());
    stock.hold("bob", 2);
    assertThat(stock.counts()).isEqualTo("0 5 0");
  }

  @Test
  void a_released_hold_returns_its_units_once() {
    var stock = Stock.of(api, 5);
    var hold = stock.hold("ann", 3);
    var token = Api.token();

    api.release(hold.id(), token, "ann");
    api.release(hold.id(), token, "ann");
    api.release(hold.id(), Api.token(), "ann");

    assertThat(stock.counts()).isEqualTo("5 0 0");
  }

  @Test
  void an_expired_hold_returns_its_units_once() {
    var stock = Stock.of(api, 5, "{\"leaseSeconds\":1}");
    var hold = stock.hold("ann", 3);

    Await.until(RetryingClient.PATIENCE, () -> rows.stateOf(hold).equals("EXPIRED"));

    assertThat(stock.counts()).isEqualTo("5 0 0");
    assertThat(stock.place(Api.token(), "bob", 5).statusCode()).isEqualTo(201);
  }

  @Test
  void a_sale_moves_units_from_held_to_sold() {
    var stock = Stock.of(api, 5);
    var hold = stock.hold("ann", 3);

    var sold = api.confirm(hold, Api.token(), "ann", "order-1");

    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    assertThat(Http.json(sold).get("state").asText()).isEqualTo("CONFIRMED");
    assertThat(Http.json(sold).get("quantity").asInt()).isEqualTo(3);
    assertThat(stock.counts()).isEqualTo("2 0 3");
    assertThat(stock.row(rows)).isEqualTo("3 0");
  }

  @Test
  void a_part_of_a_hold_is_sold_and_the_rest_is_free() {
    var stock = Stock.of(api, 5);
    var hold = stock.hold("ann", 3);

    var sold = stock.confirm(hold, "ann", 2);

    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    assertThat(Http.json(sold).get("quantity").asInt()).isEqualTo(2);
    assertThat(stock.counts()).isEqualTo("3 0 2");
    assertThat(stock.row(rows)).isEqualTo("2 0");
    assertThat(Http.json(api.read(hold.id())).get("quantity").asInt()).isEqualTo(2);
  }

  @Test
  void more_than_the_hold_has_cannot_be_sold() {
    var stock = Stock.of(api, 5);
    var hold = stock.hold("ann", 3);

    var refused = stock.confirm(hold, "ann", 4);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(stock.counts()).isEqualTo("2 3 0");
    assertThat(stock.confirm(hold, "ann", 3).statusCode()).isEqualTo(200);
  }

  @Test
  void the_round_over_all_pools_reads_the_stock_and_not_its_units(Service service) {
    var stock = Stock.of(api, 5);
    stock.confirm(stock.hold("ann", 3), "ann", 3);

    var states = service.context().getBean(ItemStateQuery.class).after("", 0, 10_000);

    assertThat(states.stream().filter(each -> each.pool().value().equals(stock.pool())))
        .extracting(each -> each.state().item().value())
        .containsExactly("stock");
  }
}
