package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.commitment.claim.SaleReversals;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
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
import io.holdfast.testing.VanishingRows;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Sales that have lost a part of their commitments are undone as a whole, by a compensation only.
@ExtendWith(RealServers.class)
class FailedSaleTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int CALLS = 8;

  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @AfterEach
  void rowsStay() {
    VanishingRows.noMore(rows);
  }

  @Test
  @Requirement({"AU-6", "RS-S3c"})
  void a_failed_sale_of_two_seats_is_not_voided_and_a_compensation_voids_what_there_is_of_it() {
    var pool = checkouts.pool(2, "{}");
    var hold = failed(api.hold(pool, "ann", "A-1", "A-2"));
    assertThat(live(hold)).containsExactly("A-2");
    var unsound = unsound();

    for (var part : new String[] {"", ",\"items\":[\"A-2\"]", ",\"items\":[\"A-1\"]"}) {
      var refused = voidSale(hold, part);
      assertThat(refused.statusCode()).as(part + refused.body()).isEqualTo(409);
      assertThat(Api.code(refused)).as(part).isEqualTo("compensating");
      assertThat(refused.body()).contains("/compensate");
    }
    assertThat(reversals(hold)).isEmpty();
    var undone = compensate(hold, nonce(hold));

    assertThat(undone.statusCode()).as(undone.body()).isEqualTo(200);
    assertThat(live(hold)).isEmpty();
    assertThat(reversals(hold)).containsExactly("rv~" + hold.id() + " whole");
    assertThat(unsound()).isEqualTo(unsound - 1);
    Await.until(SOON, () -> api.stateOf(pool, "A-1").equals("FREE"));
    Await.until(SOON, () -> api.stateOf(pool, "A-2").equals("FREE"));
    assertThat(Api.code(voidSale(hold, ""))).isEqualTo("already-voided");
    var next = api.hold(pool, "bob", "A-1", "A-2");
    assertThat(api.confirm(next, Api.token(), "bob", "o-2").statusCode()).isEqualTo(200);
  }

  @Test
  @Requirement({"AU-6", "RS-S3c"})
  void a_failed_sale_of_a_quantity_is_not_voided_and_a_compensation_frees_all_its_units() {
    var stock = Stock.of(api, 5);
    var hold = failed(stock.hold("ann", 3), each -> stock.confirm(each, "ann", 3));
    assertThat(live(hold)).hasSize(2);
    var unsound = unsound();

    for (var part : new String[] {"", ",\"quantity\":2", ",\"quantity\":1"}) {
      assertThat(Api.code(voidSale(hold, part))).as(part).isEqualTo("compensating");
    }
    assertThat(compensate(hold, nonce(hold)).statusCode()).isEqualTo(200);

    assertThat(live(hold)).isEmpty();
    assertThat(unsound()).isEqualTo(unsound - 1);
    assertThat(stock.row(rows)).isEqualTo("0 0");
    Await.until(SOON, () -> stock.counts().equals("5 0 0"));
  }

  @Test
  @Requirement("AU-6")
  void of_voids_and_compensations_at_once_one_compensation_undoes_the_sale() {
    var pool = checkouts.pool(2, "{}");
    var hold = failed(api.hold(pool, "ann", "A-1", "A-2"));
    var nonces = IntStream.range(0, CALLS).mapToObj(_ -> nonce(hold)).toList();

    var codes =
        Together.run(
            2 * CALLS,
            i -> Api.code(i % 2 == 0 ? compensate(hold, nonces.get(i / 2)) : voidSale(hold, "")));

    var undone =
        IntStream.range(0, codes.size()).filter(i -> codes.get(i).isEmpty()).boxed().toList();
    assertThat(undone).as(codes.toString()).hasSize(1).allMatch(i -> i % 2 == 0);
    assertThat(Collections.frequency(codes, "already-voided"))
        .as(codes.toString())
        .isGreaterThanOrEqualTo(CALLS - 1);
    assertThat(codes).isSubsetOf("", "already-voided", "compensating");
    assertThat(reversals(hold)).containsExactly("rv~" + hold.id() + " whole");
  }

  /// A process that is killed after the commit has told Redis nothing.
  @Test
  @Requirement("AU-6")
  void a_reversal_that_only_postgres_knows_of_reaches_redis() {
    var pool = checkouts.pool(2, "{}");
    var hold = failed(api.hold(pool, "ann", "A-1", "A-2"));
    var reversals = service.context().getBean(SaleReversals.class);
    var id = HoldId.parse(hold.id()).orElseThrow();
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");

    service
        .context()
        .getBean(Transactions.class)
        .write(
            connection ->
                reversals.reverse(
                    new Transaction(connection), id, new SaleReversals.Reason("operator", "why")));

    Await.until(SOON, () -> api.stateOf(pool, "A-1").equals("FREE"));
    Await.until(SOON, () -> api.stateOf(pool, "A-2").equals("FREE"));
    assertThat(Api.code(compensate(hold, nonce(hold)))).isEqualTo("already-voided");
    var next = api.hold(pool, "bob", "A-1", "A-2");
    assertThat(api.confirm(next, Api.token(), "bob", "o-2").statusCode()).isEqualTo(200);
  }

  private interface Sale {
    HttpResponse<String> of(Hold hold);
  }

  private static Hold failed(Hold hold) {
    return failed(hold, each -> api.confirm(each, Api.token(), "ann", "o"));
  }

  /// A hold whose sale has lost one commitment.
  private static Hold failed(Hold hold, Sale sale) {
    VanishingRows.firstCommitment(rows);
    var sold = sale.of(hold);
    VanishingRows.noMore(rows);
    assertThat(Api.code(sold)).as(sold.body()).isEqualTo("compensating");
    Await.until(SOON, () -> rows.number("SELECT count(*) FROM outbox") == 0);
    return hold;
  }

  private static String nonce(Hold hold) {
    var body = "{\"holdId\":\"%s\",\"operation\":\"compensate\"}".formatted(hold.id());
    return Http.json(api.post("/v1/authorizations", Api.token(), body)).get("nonce").asText();
  }

  private static HttpResponse<String> compensate(Hold hold, String nonce) {
    var path = "/v1/holds/" + hold.id() + "/compensate";
    return api.post(path, Api.token(), "{\"nonce\":\"%s\"}".formatted(nonce));
  }

  private static HttpResponse<String> voidSale(Hold hold, String part) {
    var path = "/v1/commitments/cm~" + hold.id() + "/void";
    return api.post(path, Api.token(), "{\"refund\":\"none\"" + part + "}");
  }

  private static List<String> live(Hold hold) {
    return rows.texts(
        "SELECT item FROM commitment WHERE hold_id = ? AND voided_at IS NULL", hold.id());
  }

  private static List<String> reversals(Hold hold) {
    return rows.texts(
        "SELECT reversal_id || CASE WHEN quantity IS NULL THEN ' whole' ELSE ' part' END"
            + " FROM reversal WHERE hold_id = ?",
        hold.id());
  }

  /// The failed sales that nobody has undone.
  private static long unsound() {
    for (var check : Http.json(api.get("/v1/audit/report")).get("checks")) {
      if (check.get("id").asText().equals("RS-S3d")) {
        return check.get("violations").asLong();
      }
    }
    throw new AssertionError("the report does not have RS-S3d");
  }
}
