package io.holdfast.commitment;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
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
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The samples of *Bridging Intent and Commitment* that are about inventory, each with the race
/// that the sample has. Calls go to two instances at once.
///
/// The 15 minutes of a hold are in `StockTest`, the condition `quantity >= requested` is in
/// `StockSaleTest`, and the condition on the version is in `StockVersionTest`.
@ExtendWith(RealServers.class)
class InventorySampleTest {
  private static final String MANY_HOLDS = "{\"maxHoldsPerRequester\":1000}";

  private static Service other;
  private static Api api;
  private static List<Api> apis;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    other = RealServers.start(servers, Map.of());
    api = Api.of(service);
    apis = List.of(api, Api.of(other));
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    other.close();
    assertThat(Http.json(api.get("/v1/audit/report")).get("ok").asBoolean()).isTrue();
  }

  /// Bridge 1, `redis.set(f"inventory:{sku}:hold:{quantity}", order_id, nx=True, ex=900)`. The key
  /// of the sample has the quantity, so a second order of two units is refused while units are
  /// left.
  @Test
  @Requirement("BR-C-3")
  void bridge_1_inventory_hold_orders_of_one_quantity_share_the_units_that_are_left() {
    var stock = Stock.of(api, 20, MANY_HOLDS);

    var answers = Together.run(32, i -> at(i, stock).place(Api.token(), "ann", 2));

    assertThat(statuses(answers, 201)).hasSize(10);
    assertThat(statuses(answers, 409))
        .hasSize(22)
        .allSatisfy(no -> assertThat(Api.code(no)).isEqualTo("resource-unavailable"));
    assertThat(stock.counts()).isEqualTo("0 20 0");
  }

  /// The same sample. Orders of one, two, three and four units have four keys in it, and none of
  /// them is compared with the stock.
  @Test
  @Requirement("BR-C-3")
  void bridge_1_inventory_hold_orders_of_all_quantities_hold_no_more_than_there_is() {
    var stock = Stock.of(api, 30, MANY_HOLDS);

    var answers =
        Together.run(40, i -> at(i / 4, stock).place(Api.token(), "order-" + i, 1 + i % 4));

    var held =
        statuses(answers, 201).stream()
            .mapToInt(yes -> Http.json(yes).get("quantity").asInt())
            .sum();
    assertThat(held).isBetween(27, 30); // a refused order wanted four units at most
    assertThat(stock.counts()).isEqualTo((30 - held) + " " + held + " 0");
  }

  /// The end of the TTL in the same sample. The keys of a hold vanish in Redis, and nobody adds the
  /// units to the stock again; here the sweeps of two instances, placements and operators do it at
  /// the same moment.
  @Test
  void bridge_1_inventory_hold_abandoned_units_return_once_whoever_ends_the_hold() {
    var stock = Stock.of(api, 6, "{\"leaseSeconds\":1,\"heartbeatSeconds\":1}");
    var hold = stock.hold("ann", 3);
    Await.moment(Api.time(api.read(hold.id()), "leaseUntil").minus(Duration.ofMillis(20)));

    var placed =
        Together.run(
            24,
            i ->
                switch (i % 3) {
                  case 0 -> apis.get(i / 3 % 2).expire(hold.id(), Api.token(), true);
                  case 1 -> apis.get(i / 3 % 2).release(hold.id(), Api.token(), "ann");
                  default -> at(i / 3, stock).place(Api.token(), "order-" + i, 6);
                });

    assertThat(IntStream.range(0, 24).filter(i -> i % 3 != 2).mapToObj(placed::get))
        .as("who ended it")
        .filteredOn(answer -> answer.statusCode() == 200)
        .hasSizeLessThanOrEqualTo(1);
    Await.until(PATIENCE, () -> stock.counts().equals("6 0 0"));
  }

  /// Bridge 3, `UPDATE inventory SET quantity = quantity - $requested, version = version + 1 … AND
  /// version = $expected_version` and *If 0 rows: concurrent update occurred; retry from read*.
  /// Each sale finds its units, although most of them read a version that is old by the time they
  /// write.
  @Test
  @Requirement("BR-C-4")
  void bridge_3_version_cas_concurrent_sales_read_again_until_each_has_its_units() {
    var stock = Stock.of(api, 60, MANY_HOLDS);
    var holds = IntStream.range(0, 30).mapToObj(i -> stock.hold("u" + i, 2)).toList();
    logVersionsOf(stock);

    try {
      var sales =
          Together.run(
              30,
              i ->
                  decided(
                      () -> apis.get(i % 2).confirm(holds.get(i), "c" + i, "u" + i, "order-" + i)));

      assertThat(statuses(sales, 200)).hasSize(30);
      assertThat(stock.row(rows)).isEqualTo("60 0");
      assertVersionsRiseByOne(stock);
    } finally {
      rows.change("DROP FUNCTION log_stock CASCADE");
      rows.change("DROP TABLE stock_log");
    }
  }

  /// Bridge 3, *CAS and idempotency*: `SELECT result FROM commitments WHERE idempotency_key = $key`
  /// and `IF NOT FOUND` the CAS. Two retries of the sample at once both find nothing.
  @Test
  @Requirement("BR-C-5")
  void bridge_3_cas_and_idempotency_concurrent_retries_sell_once_and_get_one_answer() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);
    var token = Api.token();

    var answers =
        Together.run(
            16, i -> decided(() -> apis.get(i % 2).confirm(hold, token, "ann", "order-1")));

    assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(200);
    assertThat(answers).extracting(HttpResponse::body).containsOnly(answers.getFirst().body());
    assertThat(answers).filteredOn(answer -> !Api.isReplay(answer)).hasSizeLessThanOrEqualTo(1);
    assertThat(stock.row(rows)).isEqualTo("3 0");
    assertThat(rows.number("SELECT version FROM stock WHERE pool = ?", stock.pool())).isOne();
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE hold_id = ?", hold.id()))
        .isEqualTo(3);
  }

  private static Stock at(int number, Stock stock) {
    return new Stock(apis.get(number % 2), stock.pool());
  }

  private static List<HttpResponse<String>> statuses(
      List<HttpResponse<String>> answers, int status) {
    return answers.stream().filter(answer -> answer.statusCode() == status).toList();
  }

  private static void logVersionsOf(Stock stock) {
    rows.change("CREATE TABLE stock_log (version bigint, sold bigint, rise bigint, units bigint)");
    rows.change("GRANT INSERT ON stock_log TO PUBLIC");
    rows.change(
        """
        CREATE FUNCTION log_stock() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN
           INSERT INTO stock_log
           VALUES (NEW.version, NEW.sold, NEW.version - OLD.version, NEW.sold - OLD.sold);
           RETURN NULL;
         END'
        """);
    rows.change(
        """
        CREATE TRIGGER log_stock AFTER UPDATE ON stock
        FOR EACH ROW WHEN (NEW.pool = '%s') EXECUTE FUNCTION log_stock()
        """
            .formatted(stock.pool()));
  }

  /// One instance sells several holds in one statement, so there may be fewer versions than sales.
  private static void assertVersionsRiseByOne(Stock stock) {
    var updates = rows.number("SELECT count(*) FROM stock_log");
    assertThat(updates).isBetween(2L, 30L);
    assertThat(rows.texts("SELECT DISTINCT rise::text FROM stock_log")).containsExactly("1");
    assertThat(rows.number("SELECT version FROM stock WHERE pool = ?", stock.pool()))
        .isEqualTo(updates);
    assertThat(rows.number("SELECT sum(units) FROM stock_log")).isEqualTo(60);
  }
}
