package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A hold whose checkout has ended: a hold has one checkout and one sale.
@ExtendWith(RealServers.class)
class EndedCheckoutTest {
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(4, "{}");
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  @Requirement({"BR-S-1", "BR-S-5"})
  void a_hold_whose_card_was_declined_can_still_be_sold_once() {
    var hold = api.hold(pool, "ann", "A-1");
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);

    var sold = decided(() -> api.confirm(hold, Api.token(), "ann", "paid in cash"));
    var second = checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);

    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    assertThat(Api.code(second)).isEqualTo("checkout-exists");
    assertThat(
            rows.number(
                "SELECT count(*) FROM commitment WHERE pool = ? AND hold_id = ?", pool, hold.id()))
        .isOne();
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");
  }

  @Test
  @Requirement("BR-S-5")
  void a_sale_made_after_a_failed_checkout_is_voided_like_a_sale_without_a_checkout() {
    var hold = api.hold(pool, "ann", "A-3");
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);
    var sold = decided(() -> api.confirm(hold, Api.token(), "ann", "paid in cash"));
    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    var path = "/v1/commitments/" + Http.json(sold).get("commitmentId").asText() + "/void";

    var voided = api.post(path, Api.token(), "{\"refund\":\"none\"}");
    var second = api.post(path, Api.token(), "{\"refund\":\"none\"}");

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    assertThat(Http.json(voided).get("checkoutId").isNull()).as(voided.body()).isTrue();
    assertThat(Api.code(second)).isEqualTo("already-voided");
    assertThat(api.stateOf(pool, "A-3")).isEqualTo("FREE");
    assertThat(rows.texts("SELECT phase FROM checkout WHERE hold_id = ?", hold.id()))
        .containsExactly("COMPENSATED");
  }

  /// Redis learns of a returned claim a moment later.
  private static HttpResponse<String> decided(Supplier<HttpResponse<String>> call) {
    var last = new AtomicReference<HttpResponse<String>>();
    Await.until(
        Duration.ofSeconds(20),
        () -> {
          last.set(call.get());
          return !List.of("attempt-collision", "storage-failure").contains(codeOf(last.get()));
        });
    return last.get();
  }

  private static String codeOf(HttpResponse<String> answer) {
    return answer.statusCode() == 200 ? "" : Api.code(answer);
  }

  @Test
  void a_second_checkout_of_a_sold_hold_is_refused_because_one_exists() {
    var hold = api.hold(pool, "ann", "A-2");
    checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);

    var second = checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);
    var somebodyElses = checkouts.pay(hold, "bob", "ok", Checkouts.PRICE);

    assertThat(Api.code(second)).isEqualTo("checkout-exists");
    assertThat(Api.code(somebodyElses)).isEqualTo("not-held");
  }
}
