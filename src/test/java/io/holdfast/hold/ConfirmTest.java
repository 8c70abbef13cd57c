package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.PATIENCE;
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
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A hold is sold once, and every answer is repeated unchanged.
@ExtendWith(RealServers.class)
@Tag("cluster")
class ConfirmTest {
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @Test
  @Requirement({"IR-AW-04", "IR-AW-11", "IR-WT-5", "BR-K-1", "BR-K-4", "BR-F-3", "RP-05"})
  void a_hold_becomes_a_sale_and_a_retry_gets_the_first_answer() {
    var pool = api.pool(3);
    var hold = api.hold(pool, "ann", "A-1", "A-2");
    var token = Api.token();

    var first = api.confirm(hold, token, "ann", "order-1");
    var again = api.confirm(hold, token, "ann", "order-1");

    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    var sale = Http.json(first);
    assertThat(sale.get("state").asText()).isEqualTo("CONFIRMED");
    assertThat(sale.get("commitmentId").asText()).isNotEmpty();
    assertThat(sale.get("committedAt")).isEqualTo(sale.get("endedAt"));
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(first)).isFalse();
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(
            rows.texts(
                "SELECT item || ' ' || fence FROM commitment WHERE pool = ? ORDER BY item", pool))
        .containsExactly("A-1 " + hold.fence(), "A-2 " + hold.fence());
  }

  @Test
  @Requirement({"BR-T-12", "PC-INV-3", "PC-EC-1"})
  void a_sold_item_is_shown_as_sold_and_cannot_be_held_released_or_expired() {
    var pool = api.pool(3);
    var hold = api.hold(pool, "ann", "A-1", "A-2");

    var sale = api.confirm(hold, Api.token(), "ann", "order-1");

    assertThat(api.read(hold.id()).body()).isEqualTo(sale.body());
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");
    assertThat(api.stateOf(pool, "A-3")).isEqualTo("FREE");
    assertThat(Http.json(api.get("/v1/pools/" + pool)).get("counts").toString())
        .isEqualTo("{\"free\":1,\"held\":0,\"sold\":2,\"blocked\":0}");
    assertThat(Api.code(api.place(pool, Api.token(), "bob", "A-2")))
        .isEqualTo("resource-unavailable");
    assertThat(Api.code(api.release(hold.id(), Api.token(), "ann"))).isEqualTo("not-held");
    assertThat(Api.code(api.expire(hold.id(), Api.token(), true))).isEqualTo("not-held");
    assertThat(Api.code(api.heartbeat(hold.id(), "ann", hold.fence()))).isEqualTo("not-held");
  }

  @Test
  @Requirement({"IR-AW-14", "PC-DP-2", "IR-CFR-03", "BR-F-4"})
  void every_refusal_has_its_reason_and_its_token_repeats_it() {
    var pool = api.pool(4);
    var hold = api.hold(pool, "ann", "A-1");
    var released = api.hold(pool, "ann", "A-2");
    api.release(released.id(), Api.token(), "ann");
    var nobodys = new Hold(hold.id().replaceAll("~[^~]{16}$", "~" + "0".repeat(16)), 1);

    assertStays(409, "not-held", token -> api.confirm(hold, token, "bob", "order-1"));
    assertStays(
        409,
        "stale-fence",
        token -> api.confirm(new Hold(hold.id(), hold.fence() + 1), token, "ann", "order-1"));
    assertStays(409, "not-held", token -> api.confirm(released, token, "ann", "order-1"));
    assertStays(404, "not-known", token -> api.confirm(nobodys, token, "ann", "order-1"));
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("HELD");
    assertThat(api.confirm(hold, Api.token(), "ann", "order-1").statusCode()).isEqualTo(200);
  }

  @Test
  void another_requester_or_order_does_not_get_a_sale_under_any_token() {
    var hold = api.hold(api.pool(1), "ann", "A-1");
    api.confirm(hold, Api.token(), "ann", "order-1");

    assertStays(409, "not-held", token -> api.confirm(hold, token, "bob", "order-1"));
    assertStays(409, "replay-duplicate", token -> api.confirm(hold, token, "ann", "order-2"));
  }

  @Test
  @Requirement({"BR-T-11", "BR-T-6", "PC-INV-7"})
  void a_lapsed_hold_is_not_sold_swept_or_not() {
    var pool = api.pool(1, "{\"leaseSeconds\":1,\"windowSeconds\":1}");
    var placed = api.place(pool, Api.token(), "ann", "A-1");
    var hold = Hold.of(placed);
    var end = Api.time(placed, "expiresAt");
    Await.moment(end.minusMillis(400)); // clocks may be 500 ms apart, and so disagree on the rest

    assertStays(410, "window-elapsed", token -> api.confirm(hold, token, "ann", "order-1"));
    Await.until(PATIENCE, () -> api.read(hold.id()).body().contains("EXPIRED"));
    var late = api.confirm(hold, Api.token(), "ann", "order-1");

    assertThat(Api.code(late)).isEqualTo("window-elapsed");
    assertThat(api.hold(pool, "bob", "A-1").fence()).isGreaterThan(hold.fence());
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool)).isZero();
  }

  @Test
  @Requirement({"IR-AW-17", "IR-ADV-4", "IR-AW-09"})
  void a_token_belongs_to_one_action() {
    var pool = api.pool(3);
    var placing = Api.token();
    var hold = Hold.of(api.place(pool, placing, "ann", "A-1"));
    var confirming = Api.token();

    var withTheTokenOfPlacing = api.confirm(hold, placing, "ann", "order-1");
    var sale = api.confirm(hold, confirming, "ann", "order-1");
    var withTheTokenOfConfirming = api.place(pool, confirming, "ann", "A-2");

    assertThat(Api.code(withTheTokenOfPlacing)).isEqualTo("token-collision");
    assertThat(sale.statusCode()).isEqualTo(200);
    assertThat(Api.code(withTheTokenOfConfirming)).isEqualTo("token-collision");
    assertThat(Api.code(api.confirm(hold, confirming, "ann", "order-2")))
        .isEqualTo("token-collision");
    assertThat(api.stateOf(pool, "A-2")).isEqualTo("FREE");
  }

  @Test
  @Requirement({"RS-S2b", "RP-01", "BR-K-2", "BR-K-3", "RS-ID-3", "H-2"})
  void a_new_token_for_the_same_purchase_gets_the_first_result() {
    var pool = api.pool(3);
    var hold = api.hold(pool, "ann", "A-1");
    var key = ",\"logicalKey\":\"ann:arena:A-1\",\"attemptId\":\"%s\"";

    var first = api.confirm(hold, Api.token(), "ann", "order-1", key.formatted("1"));
    var again = api.confirm(hold, Api.token(), "ann", "order-1", key.formatted("2"));
    var otherOrder = api.confirm(hold, Api.token(), "ann", "order-2", key.formatted("3"));
    var otherKey = api.confirm(hold, Api.token(), "ann", "order-1", ",\"logicalKey\":\"other\"");
    var otherHold =
        api.confirm(
            api.hold(pool, "ann", "A-2"), Api.token(), "ann", "order-1", key.formatted("4"));

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(Api.code(otherOrder)).isEqualTo("replay-duplicate");
    assertThat(Api.code(otherKey)).isEqualTo("not-held");
    assertThat(Api.code(otherHold)).isEqualTo("replay-duplicate");
    assertThat(api.stateOf(pool, "A-2")).isEqualTo("HELD");
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool)).isEqualTo(1);
  }

  @Test
  void an_invalid_confirm_is_refused_by_field_and_sells_nothing() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var path = "/v1/holds/" + hold.id() + "/confirm";

    for (var body :
        new String[] {
          "{}",
          "{\"requester\":\"ann\",\"fence\":%d}".formatted(hold.fence()),
          "{\"requester\":\"ann\",\"fence\":\"1\",\"orderId\":\"o\"}",
          "{\"requester\":\"ann\",\"fence\":0,\"orderId\":\"o\"}",
          "{\"requester\":\"ann\",\"fence\":1,\"orderId\":\"\"}",
          "{\"requester\":\"ann\",\"fence\":1,\"orderId\":\"o\",\"more\":1}"
        }) {
      var token = Api.token();
      var refused = api.post(path, token, body);
      assertThat(refused.statusCode()).as(body).isEqualTo(400);
      assertThat(Http.json(refused).has("field")).as(body).isTrue();
      assertThat(api.post(path, token, body).body()).isEqualTo(refused.body());
    }
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("HELD");
  }

  @Test
  void selling_needs_the_scope_and_the_hold_of_another_caller_is_not_known() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var name = "c" + Api.token().substring(0, 8);

    assertThat(api.as(name, "hold").confirm(hold, Api.token(), "ann", "o").statusCode())
        .isEqualTo(403);
    assertThat(Api.code(api.as(name, "hold", "commit").confirm(hold, Api.token(), "ann", "o")))
        .isEqualTo("not-known");
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("HELD");
  }

  private interface Call {
    HttpResponse<String> under(String token);
  }

  private static void assertStays(int status, String code, Call call) {
    var token = Api.token();
    var first = call.under(token);
    var again = call.under(token);
    assertThat(first.statusCode()).as(first.body()).isEqualTo(status);
    assertThat(Api.code(first)).isEqualTo(code);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).as(code).isTrue();
  }
}
