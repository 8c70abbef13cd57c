package io.holdfast.commitment.listing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import io.holdfast.testing.Pages;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Stock;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Lists of sales as JSON and as CSV.
@ExtendWith(RealServers.class)
class SalesListTest {
  private static final String POLICY = "{\"maxHoldsPerRequester\":500}";
  private static Api api;

  @BeforeAll
  static void connect(Service service) {
    api = Api.of(service);
  }

  @Test
  void sales_are_listed_with_their_items_their_metadata_and_what_of_them_is_voided() {
    var pool = api.pool(10, POLICY);
    var placed =
        api.post(
            "/v1/pools/" + pool + "/holds",
            Api.token(),
            "{\"requester\":\"ann\",\"items\":[\"A-1\",\"A-2\"],\"metadata\":{\"basket\":\"b-1\"}}");
    var part = sold(Hold.of(placed), "ann", "o-1");
    var whole = sold(api.hold(pool, "bob", "A-3"), "bob", "o-2");
    var none = sold(api.hold(pool, "bob", "A-4"), "bob", "o-3");
    api.hold(pool, "bob", "A-5");
    reverse(part, "{\"refund\":\"none\",\"items\":[\"A-2\"]}");
    reverse(whole, "{\"refund\":\"none\"}");

    var sales = sales(api, pool, "?limit=1");

    assertThat(sales)
        .extracting(sale -> sale.get("commitmentId").asText())
        .containsExactlyInAnyOrder(part, whole, none);
    var first =
        sales.stream().filter(s -> s.get("commitmentId").asText().equals(part)).findFirst().get();
    assertThat(first.get("state").asText()).isEqualTo("PARTLY_VOIDED");
    assertThat(first.get("metadata").get("basket").asText()).isEqualTo("b-1");
    assertThat(first.get("orderId").asText()).isEqualTo("o-1");
    assertThat(first.get("requester").asText()).isEqualTo("ann");
    assertThat(first.get("quantity").asInt()).isEqualTo(2);
    assertThat(first.get("voidedQuantity").asInt()).isOne();
    assertThat(first.get("items").get(0).get("voidedAt").isNull()).isTrue();
    assertThat(first.get("items").get(1).get("voidedAt").isNull()).isFalse();
    assertThat(found(pool, "?state=VOIDED")).containsExactly(whole);
    assertThat(found(pool, "?state=SOLD")).containsExactly(none);
    assertThat(found(pool, "?requester=bob&limit=1")).containsExactlyInAnyOrder(whole, none);
    assertThat(found(pool, "?orderId=o-3")).containsExactly(none);
    assertThat(found(pool, "?from=2000-01-01T00:00:00Z&until=2001-01-01T00:00:00Z")).isEmpty();
    assertThat(found(pool, "?from=2000-01-01T00:00:00%2B02:00&limit=2")).hasSize(3);
  }

  @Test
  void units_of_a_quantity_have_no_names() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);
    stock.confirm(hold, "ann", 3);

    var sale = sales(api, stock.pool(), "").getFirst();

    assertThat(sale.get("items")).isEmpty();
    assertThat(sale.get("quantity").asInt()).isEqualTo(3);
    assertThat(sale.get("totalCents").asLong()).isEqualTo(3 * Stock.PRICE);
  }

  @Test
  void a_caller_sees_its_own_sales_and_an_operator_those_of_all() {
    var pool = api.pool(3, POLICY);
    var shop = api.as("shop-" + Api.token(), "hold", "commit");
    var hold = shop.hold(pool, "ann", "A-1");
    shop.confirm(hold, Api.token(), "ann", "of-the-shop");
    sold(api.hold(pool, "bob", "A-2"), "bob", "of-another");
    var holder = api.as("holder-" + Api.token(), "hold");
    var csv = "/v1/pools/" + pool + "/sales.csv";

    assertThat(Pages.texts(shop, "/v1/pools/" + pool + "/sales", "sales", "orderId"))
        .containsExactly("of-the-shop");
    assertThat(shop.get(csv).body()).contains("of-the-shop").doesNotContain("of-another");
    assertThat(api.get(csv).body()).contains("of-the-shop", "of-another");
    assertThat(holder.get(csv).statusCode()).isEqualTo(403);
    assertThat(holder.get("/v1/pools/" + pool + "/sales").statusCode()).isEqualTo(403);
  }

  @Test
  void a_file_has_all_sales_of_many_pages_once() {
    var pool = api.pool(250, POLICY);
    IntStream.rangeClosed(1, 250)
        .forEach(i -> sold(api.hold(pool, "u-" + i, "A-" + i), "u-" + i, "o-" + i));
    reverse(found(pool, "?orderId=o-250").getFirst(), "{\"refund\":\"none\"}");

    var answer = api.get("/v1/pools/" + pool + "/sales.csv");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
        .isEqualTo("text/csv; charset=utf-8");
    assertThat(answer.headers().firstValue("Content-Disposition").orElseThrow())
        .isEqualTo("attachment; filename=\"sales-" + pool + ".csv\"");
    assertThat(answer.headers().firstValue("Cache-Control").orElseThrow()).isEqualTo("no-store");
    assertThat(answer.body()).endsWith("\r\n");
    var lines = List.of(answer.body().split("\r\n"));
    assertThat(lines.getFirst())
        .isEqualTo(
            "commitmentId,orderId,pool,item,priceCents,currency,caller,requester,committedAt,"
                + "voidedAt");
    assertThat(lines.stream().skip(1).map(line -> line.split(",")[3]))
        .hasSize(250)
        .doesNotHaveDuplicates();
    assertThat(lines.stream().skip(1).filter(line -> !line.endsWith(","))).hasSize(1);
    assertThat(api.get("/v1/pools/" + pool + "/sales.csv?state=VOIDED").body().split("\r\n"))
        .hasSize(2);
  }

  @Test
  void no_field_of_a_file_is_a_formula_or_breaks_its_line() {
    var pool = "csv-" + Api.token();
    var seats = List.of("=cmd|'/c calc'!A1", "a,b", "say \"hi\"", "plain");
    api.createPool(pool, seats.stream().map(s -> s.replace("\"", "\\\"")).toList(), POLICY);
    for (var seat : seats) {
      var hold = api.hold(pool, "@" + seat.length(), seat.replace("\"", "\\\""));
      sold(hold, "@" + seat.length(), "+" + seat.length());
    }

    var body = api.get("/v1/pools/" + pool + "/sales.csv").body();

    assertThat(body)
        .contains(",'=cmd|'/c calc'!A1,", ",\"a,b\",", ",\"say \"\"hi\"\"\",", ",plain,")
        .contains(",'@5,", ",'+5,");
    assertThat(cells(body)).noneMatch(cell -> cell.matches("[=+@-].*"));
    assertThat(body.split("\r\n")).hasSize(5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plain | plain",
        "-1 | '-1",
        "=A1,2 | \"'=A1,2\"",
        "a\"b | \"a\"\"b\"",
        "@x | '@x",
        "a=b | a=b"
      },
      quoteCharacter = '~')
  void a_field_is_quoted_where_it_has_to_be(String value, String field) {
    assertThat(SalesCsv.field(value)).isEqualTo(field);
    assertThat(SalesCsv.field("\tx")).isEqualTo("'\tx");
    assertThat(SalesCsv.field("x;=1+1;\t-2;3")).isEqualTo("x;'=1+1;'\t'-2;3");
    assertThat(SalesCsv.field("a\nb")).isEqualTo("\"a\nb\"");
    assertThat(SalesCsv.field("")).isEmpty();
  }

  @Test
  void a_request_that_cannot_be_understood_is_refused() {
    var pool = api.pool(1, POLICY);
    var path = "/v1/pools/" + pool + "/sales";

    assertThat(api.get("/v1/pools/nowhere/sales").statusCode()).isEqualTo(404);
    assertThat(api.get("/v1/pools/nowhere/sales.csv").statusCode()).isEqualTo(404);
    for (var query : List.of("state=GONE", "from=yesterday", "until=1", "after=x", "limit=0")) {
      assertThat(Api.code(api.get(path + "?" + query))).as(query).isEqualTo("invalid-request");
    }
    assertThat(Api.code(api.get(path + ".csv?state=GONE"))).isEqualTo("invalid-request");
  }

  private static Stream<String> cells(String csv) {
    return Arrays.stream(csv.split("\r\n"))
        .flatMap(line -> Arrays.stream(line.split(",")))
        .map(cell -> cell.replaceFirst("^\"", ""));
  }

  private static List<JsonNode> sales(Api api, String pool, String query) {
    return Pages.of(api, "/v1/pools/" + pool + "/sales" + query, "sales");
  }

  private static List<String> found(String pool, String query) {
    return Pages.texts(api, "/v1/pools/" + pool + "/sales" + query, "sales", "commitmentId");
  }

  /// The id of the commitment.
  private static String sold(Hold hold, String requester, String order) {
    var sold = api.confirm(hold, Api.token(), requester, order);
    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    return Http.json(sold).get("commitmentId").asText();
  }

  private static void reverse(String commitment, String body) {
    var voided = api.post("/v1/commitments/" + commitment + "/void", Api.token(), body);
    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
  }
}
