package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The prices of the items of a pool change while it is on sale.
@ExtendWith(RealServers.class)
class PriceChangeTest {
  private static final int LARGE = 20_000;

  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service service) {
    api = Api.of(service);
    rows = Rows.of(given);
  }

  @Test
  void a_price_changes_for_items_that_are_not_sold() {
    var pool = api.row(3, "{}");
    var sold = api.hold(pool, "ann", "A-1");
    api.confirm(sold, Api.token(), "ann", "order-1");

    var changed = change(pool, "{\"prices\":[{\"section\":\"A\",\"priceCents\":900}]}");
    change(pool, "{\"prices\":[{\"item\":\"A-2\",\"priceCents\":700}]}");
    var other = api.hold(pool, "ben", "A-2");
    api.confirm(other, Api.token(), "ben", "order-2");

    assertThat(Http.json(changed).get("repriced").asInt()).isEqualTo(2);
    assertThat(prices(pool)).containsExactly("A-1 500", "A-2 700", "A-3 900");
    assertThat(
            rows.texts(
                "SELECT item || ' ' || price_cents FROM commitment WHERE pool = ? ORDER BY item",
                pool))
        .containsExactly("A-1 500", "A-2 700");
    assertThat(
            rows.texts(
                "SELECT array_to_string(items, ' ') FROM pool_change WHERE pool = ? ORDER BY id",
                pool))
        .containsExactly("A-2 A-3", "A-2");
  }

  @Test
  void the_price_of_an_item_wins_over_that_of_its_section_and_a_later_one_over_an_earlier_one() {
    var pool = api.row(4, "{}");

    var changed =
        change(
            pool,
            "{\"prices\":[{\"item\":\"A-1\",\"priceCents\":500},"
                + "{\"item\":\"A-2\",\"priceCents\":600},"
                + "{\"section\":\"A\",\"priceCents\":800},"
                + "{\"item\":\"A-3\",\"priceCents\":600},"
                + "{\"section\":\"A\",\"priceCents\":900},"
                + "{\"item\":\"A-3\",\"priceCents\":700}]}");

    assertThat(prices(pool)).containsExactly("A-1 500", "A-2 600", "A-3 700", "A-4 900");
    assertThat(Http.json(changed).get("repriced").asInt()).isEqualTo(3);
    assertThat(
            rows.texts(
                "SELECT (detail -> 'after' -> 'prices')::text FROM pool_change WHERE pool = ?",
                pool))
        .containsExactly("{\"A-2\": 600, \"A-3\": 700, \"A-4\": 900}");
  }

  @Test
  void a_thousand_prices_change_all_items_of_a_large_pool_within_the_statement_timeout() {
    var pool = "large-" + Api.token();
    var seat = "{\"item\":\"S-%1$d\",\"section\":\"%2$d\",\"priceCents\":1}";
    var seats = IntStream.range(0, LARGE).mapToObj(i -> seat.formatted(i, i % 500)).toList();
    var body = "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":%s}".formatted(pool, seats);
    assertThat(api.post("/v1/pools", Api.token(), body).statusCode()).isEqualTo(201);
    var ofSections =
        IntStream.range(0, 500).mapToObj("{\"section\":\"%d\",\"priceCents\":20}"::formatted);
    var ofItems =
        IntStream.range(0, 500).mapToObj("{\"item\":\"S-%d\",\"priceCents\":30}"::formatted);

    var prices = Stream.concat(ofSections, ofItems).toList();
    var changed = change(pool, "{\"prices\":%s}".formatted(prices));

    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    assertThat(Http.json(changed).get("repriced").asInt()).isEqualTo(LARGE);
    assertThat(
            rows.texts(
                "SELECT price_cents || ' ' || count(*) FROM item WHERE pool = ?"
                    + " GROUP BY price_cents ORDER BY 1",
                pool))
        .containsExactly("20 %d".formatted(LARGE - 500), "30 500");
  }

  @Test
  void all_items_that_the_pool_has_not_are_named_up_to_a_hundred() {
    var pool = api.pool(2);
    var price = "{\"item\":\"%s\",\"priceCents\":5}";
    var few = Stream.of("B-1", "A-1", "B-2", "B-1").map(price::formatted).toList();
    var many = IntStream.range(0, 300).mapToObj(i -> price.formatted("C-" + i)).toList();

    var refused = change(pool, "{\"prices\":%s}".formatted(few));
    var more = change(pool, "{\"prices\":%s}".formatted(many));

    assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("400invalid-request");
    assertThat(Http.json(refused).get("items").toString()).isEqualTo("[\"B-1\",\"B-2\"]");
    assertThat(Http.json(more).get("items")).hasSize(100);
  }

  private static List<String> prices(String pool) {
    return rows.texts(
        "SELECT item || ' ' || price_cents FROM item WHERE pool = ? ORDER BY item", pool);
  }

  private static HttpResponse<String> change(String pool, String body) {
    return api.patch("/v1/pools/" + pool, Api.token(), body);
  }
}
