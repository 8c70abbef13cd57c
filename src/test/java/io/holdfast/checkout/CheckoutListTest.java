package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Pages;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Lists of checkouts.
@ExtendWith(RealServers.class)
class CheckoutListTest {
  private static Service service;
  private static Api api;
  private static Checkouts checkouts;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers) {
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.demo", "true",
                "holdfast.checkout-pause", "10ms",
                "holdfast.checkout-look", "100ms"));
    api = Api.of(service);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(30, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  void checkouts_are_found_by_their_state_and_pool() {
    var paid = id(checkouts.pay(api.hold(pool, "ann", "A-1"), "ann", "ok", Checkouts.PRICE));
    var undone = id(checkouts.pay(api.hold(pool, "ann", "A-2"), "ann", "decline", Checkouts.PRICE));
    var hold = api.hold(pool, "ann", "A-3");
    var stuck = id(checkouts.pay(hold, "ann", "stuck-refund", Checkouts.PRICE));
    api.post("/v1/commitments/cm~" + hold.id() + "/void", Api.token(), "{\"refund\":\"full\"}");
    checkouts.awaitState(stuck, "STUCK");
    var waiting = api.hold(pool, "ann", "A-4");
    var running =
        id(
            checkouts.begin(
                Api.token(),
                Checkouts.body(waiting, "ann", "late-webhook-60000", Checkouts.PRICE)));
    Await.until(
        Duration.ofSeconds(20),
        () -> checkouts.read(running).get("state").asText().equals("CLAIMED"));
    var elsewhere = checkouts.pool(1, "{}");
    checkouts.pay(api.hold(elsewhere, "ann", "A-1"), "ann", "ok", Checkouts.PRICE);

    assertThat(ids("?state=FULFILLED&pool=" + pool)).containsExactly(paid);
    assertThat(ids("?state=COMPENSATED&pool=" + pool)).containsExactly(undone);
    assertThat(ids("?state=STUCK&pool=" + pool)).containsExactly(stuck);
    assertThat(ids("?state=CLAIMED&pool=" + pool)).containsExactly(running);
    assertThat(ids("?state=AUTHORISED&pool=" + pool)).isEmpty();
    assertThat(ids("?state=STUCK")).contains(stuck).doesNotContain(paid);
    assertThat(ids("?pool=" + pool)).containsExactlyInAnyOrder(paid, undone, stuck, running);
    assertThat(ids("?limit=1&pool=" + pool)).isEqualTo(ids("?pool=" + pool)).hasSize(4);
    assertThat(ids("?limit=1&state=FULFILLED")).isEqualTo(ids("?state=FULFILLED"));
    assertThat(ids("?pool=nowhere")).isEmpty();
    assertThat(Api.code(api.get("/v1/checkouts?state=SOLD"))).isEqualTo("invalid-request");
    assertThat(Api.code(api.get("/v1/checkouts?pool=a%20b"))).isEqualTo("invalid-request");
    assertThat(Api.code(api.get("/v1/checkouts?after=x"))).isEqualTo("invalid-request");
  }

  @Test
  void a_caller_sees_its_own_checkouts_and_an_auditor_those_of_all() {
    var own = checkouts.pool(2, "{}");
    var shop = new Checkouts(api.as("shop-" + Api.token(), "hold", "commit"));
    var of = "{\"metadata\":{\"invoice\":\"i-7\"},";
    var hold = shop.api().hold(own, "ann", "A-1");
    var body = Checkouts.body(hold, "ann", "ok", Checkouts.PRICE).replaceFirst("\\{", of);
    var shops = id(shop.begin(Api.token(), body, "Prefer", "wait=30"));
    var ours = id(checkouts.pay(api.hold(own, "bob", "A-2"), "bob", "ok", Checkouts.PRICE));
    var auditor = api.as("auditor-" + Api.token(), "audit");
    var holder = api.as("holder-" + Api.token(), "hold");

    var seen = Pages.of(shop.api(), "/v1/checkouts", "checkouts");

    assertThat(seen).extracting(each -> each.get("checkoutId").asText()).containsExactly(shops);
    assertThat(seen.getFirst().get("metadata").get("invoice").asText()).isEqualTo("i-7");
    assertThat(Pages.texts(auditor, "/v1/checkouts?pool=" + own, "checkouts", "checkoutId"))
        .containsExactlyInAnyOrder(shops, ours);
    assertThat(holder.get("/v1/checkouts").statusCode()).isEqualTo(403);
  }

  private static List<String> ids(String query) {
    return Pages.texts(api, "/v1/checkouts" + query, "checkouts", "checkoutId");
  }

  private static String id(HttpResponse<String> answer) {
    return Http.json(answer).get("checkoutId").asText();
  }
}
