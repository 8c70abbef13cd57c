package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.holdfast.testing.VanishingRows;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Sales that failed their verification are undone once.
@ExtendWith(RealServers.class)
class CompensationTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int CALLS = 8;
  private static final String NONCE = "{\"nonce\":\"n\"}";

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
  @Requirement({"AU-6", "RS-S3b", "RS-S3c"})
  void a_failed_sale_is_undone_once_and_its_logical_key_stays_consumed() {
    var pool = checkouts.pool(2, "{}");
    var key = ",\"logicalKey\":\"order/7\"";
    var hold = failed(pool, "A-1", key);
    var nonce = nonce(hold, "compensate", 60);
    var token = Api.token();
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");
    var unsound = violations("RS-S3d");

    var undone = compensate(hold, token, nonce);

    assertThat(undone.statusCode()).as(undone.body()).isEqualTo(200);
    Await.until(SOON, () -> api.stateOf(pool, "A-1").equals("FREE"));
    assertThat(compensate(hold, token, nonce).body()).isEqualTo(undone.body());
    assertThat(Api.code(compensate(hold, Api.token(), nonce))).isEqualTo("nonce-consumed");
    assertThat(Api.code(compensate(hold, Api.token(), nonce(hold, "compensate", 60))))
        .isEqualTo("already-voided");
    assertThat(reversals(hold)).containsExactly("rv~" + hold.id() + " operator");
    assertThat(usedNonces(hold)).containsExactly("rv~" + hold.id());
    assertThat(events(hold)).isOne();
    var again = api.confirm(hold, Api.token(), "ann", "o", key);
    assertThat(Api.code(again)).isEqualTo("compensating");
    var anew = key + ",\"nonce\":\"" + nonce(hold, "confirm", 60) + "\"";
    assertThat(Api.code(api.confirm(hold, Api.token(), "ann", "o", anew)))
        .isEqualTo("compensating");
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("FREE");
    assertThat(usedNonces(hold)).hasSize(1);
    var bob = api.hold(pool, "bob", "A-1");
    assertThat(bob.fence()).isGreaterThan(hold.fence());
    assertThat(Api.code(api.confirm(bob, Api.token(), "bob", "o", key)))
        .isEqualTo("replay-duplicate");
    assertThat(api.confirm(bob, Api.token(), "bob", "o-2").statusCode()).isEqualTo(200);
    assertThat(
            rows.number(
                "SELECT count(*) FROM consumed_request WHERE logical_key = hashed('order/7')"))
        .isOne();
    assertThat(violations("RS-S3d")).isEqualTo(unsound - 1);
    assertThat(violations("RS-ID-4") + violations("PC-EC-3")).isZero();
  }

  @Test
  @Requirement({"AU-6", "RS-ID-5"})
  void only_a_valid_nonce_for_this_operation_on_this_hold_undoes_a_sale() {
    var pool = checkouts.pool(2, "{}");
    var hold = failed(pool, "A-1", "");
    var other = api.hold(pool, "bob", "A-2");
    var late = nonce(hold, "compensate", 1);
    Await.until(
        SOON,
        () ->
            rows.number(
                    "SELECT count(*) FROM authorization_nonce WHERE hold_id = ?"
                        + " AND not_after < clock_timestamp()",
                    hold.id())
                == 1);
    var clerk = api.as("clerk-" + Api.token(), "hold", "commit");

    var codes =
        Stream.of(nonce(hold, "confirm", 60), nonce(other, "compensate", 60), late, "made up")
            .map(nonce -> Api.code(compensate(hold, Api.token(), nonce)));

    assertThat(codes).containsOnly("nonce-unbound");
    var path = "/v1/holds/" + hold.id() + "/compensate";
    assertThat(clerk.post(path, Api.token(), NONCE).statusCode()).isEqualTo(403);
    assertThat(Api.code(api.post(path, Api.token(), "{}"))).isEqualTo("invalid-request");
    assertThat(Api.code(api.post("/v1/holds/x/compensate", Api.token(), NONCE)))
        .isEqualTo("not-known");
    var last = hold.id().endsWith("0") ? "1" : "0";
    for (var absent : List.of("nopool~1~0000000000000000", hold.id().replaceAll(".$", last))) {
      assertThat(Api.code(api.post("/v1/holds/" + absent + "/compensate", Api.token(), NONCE)))
          .as(absent)
          .isEqualTo("not-known");
    }
    assertThat(reversals(hold)).isEmpty();
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");
  }

  @Test
  @Requirement("AU-6")
  void a_sound_sale_is_not_undone_and_the_nonce_stays_unused() {
    var pool = checkouts.pool(1, "{}");
    var hold = api.hold(pool, "ann", "A-1");
    api.confirm(hold, Api.token(), "ann", "o");

    var refused = compensate(hold, Api.token(), nonce(hold, "compensate", 60));

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("not-compensating");
    assertThat(usedNonces(hold)).isEmpty();
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");
  }

  @Test
  @Requirement("AU-6")
  void of_many_calls_with_fresh_nonces_one_undoes_the_sale() {
    var pool = checkouts.pool(1, "{}");
    var hold = failed(pool, "A-1", "");
    var nonces = IntStream.range(0, CALLS).mapToObj(_ -> nonce(hold, "compensate", 60)).toList();

    var codes = Together.run(CALLS, i -> Api.code(compensate(hold, Api.token(), nonces.get(i))));

    assertThat(Collections.frequency(codes, "")).as(codes.toString()).isOne();
    assertThat(Collections.frequency(codes, "already-voided")).isEqualTo(CALLS - 1);
    assertThat(reversals(hold)).hasSize(1);
    assertThat(usedNonces(hold)).hasSize(1);
    assertThat(events(hold)).isOne();
  }

  @Test
  @Requirement("AU-6")
  void the_service_undoes_failed_sales_of_a_pool_whose_policy_says_so() {
    var automatic = checkouts.pool(1, "{\"compensate\":\"AUTOMATIC\"}");
    var manual = checkouts.pool(1, "{}");
    var left = failed(manual, "A-1", "");
    var hold = failed(automatic, "A-1", "");

    Await.until(SOON, () -> !reversals(hold).isEmpty());

    Await.until(SOON, () -> api.stateOf(automatic, "A-1").equals("FREE"));
    assertThat(reversals(hold)).containsExactly("rv~" + hold.id() + " policy:AUTOMATIC");
    assertThat(
            rows.texts(
                "SELECT concat_ws(' ', created_by, operation, consumed_by)"
                    + " FROM authorization_nonce WHERE hold_id = ?",
                hold.id()))
        .containsExactly("policy:AUTOMATIC compensate rv~" + hold.id());
    assertThat(events(hold)).isOne();
    assertThat(Api.code(api.confirm(hold, Api.token(), "ann", "o"))).isEqualTo("compensating");
    assertThat(reversals(left)).isEmpty();
    assertThat(api.stateOf(manual, "A-1")).isEqualTo("SOLD");
    var policy = Http.json(api.get("/v1/pools/" + automatic)).get("policy");
    assertThat(policy.get("compensate").asText()).isEqualTo("AUTOMATIC");
  }

  @Test
  @Requirement("AU-6")
  void a_checkout_undoes_its_own_failed_sale_and_nobody_does_it_again() {
    var pool = checkouts.pool(1, "{\"compensate\":\"AUTOMATIC\"}");
    var hold = api.hold(pool, "ann", "A-1");
    VanishingRows.commitments(rows);
    var paid = checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);
    VanishingRows.noMore(rows);
    assertThat(Api.code(paid)).as(paid.body()).isEqualTo("checkout-failed");
    assertThat(Http.json(paid).at("/failure/code").asText()).isEqualTo("compensating");
    var checkout = Http.json(paid).get("checkoutId").asText();

    var refused = compensate(hold, Api.token(), nonce(hold, "compensate", 60));

    assertThat(Api.code(refused)).isEqualTo("already-voided");
    assertThat(reversals(hold)).containsExactly("rv~" + hold.id() + " " + checkout);
    Await.until(SOON, () -> api.stateOf(pool, "A-1").equals("FREE"));
    assertThat(api.hold(pool, "bob", "A-1").fence()).isGreaterThan(hold.fence());
  }

  /// A hold whose confirm has failed its verification.
  private static Hold failed(String pool, String seat, String more) {
    var hold = api.hold(pool, "ann", seat);
    VanishingRows.commitments(rows);
    var sale = api.confirm(hold, Api.token(), "ann", "o", more);
    VanishingRows.noMore(rows);
    assertThat(Api.code(sale)).as(sale.body()).isEqualTo("compensating");
    Await.until(SOON, () -> api.stateOf(pool, seat).equals("SOLD"));
    return hold;
  }

  private static String nonce(Hold hold, String operation, int seconds) {
    var body =
        "{\"holdId\":\"%s\",\"operation\":\"%s\",\"validSeconds\":%d}"
            .formatted(hold.id(), operation, seconds);
    var made = api.post("/v1/authorizations", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return Http.json(made).get("nonce").asText();
  }

  private static HttpResponse<String> compensate(Hold hold, String token, String nonce) {
    var path = "/v1/holds/" + hold.id() + "/compensate";
    return api.post(path, token, "{\"nonce\":\"%s\"}".formatted(nonce));
  }

  private static List<String> reversals(Hold hold) {
    return rows.texts(
        "SELECT reversal_id || ' ' || reversed_by FROM reversal WHERE hold_id = ?", hold.id());
  }

  private static List<String> usedNonces(Hold hold) {
    return rows.texts(
        "SELECT consumed_by FROM authorization_nonce WHERE hold_id = ? AND consumed_at IS NOT NULL",
        hold.id());
  }

  private static long events(Hold hold) {
    return rows.number(
        """
        SELECT (SELECT count(*) FROM event WHERE subject = ? AND type = 'commitment.voided')
               + (SELECT count(*) FROM event_fresh WHERE subject = ? AND type = 'commitment.voided')
        """,
        hold.id(),
        hold.id());
  }

  private static long violations(String id) {
    for (var check : Http.json(api.get("/v1/audit/report")).get("checks")) {
      if (check.get("id").asText().equals(id)) {
        return check.get("violations").asLong();
      }
    }
    throw new AssertionError("no check " + id);
  }
}
