package io.holdfast.auction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The winner of an auction pays by a checkout of its bid.
@ExtendWith(RealServers.class)
class AuctionCheckoutTest {
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;

  @BeforeAll
  static void open(TestServers servers) {
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.demo", "true",
                "holdfast.checkout-pause", "20ms",
                "holdfast.checkout-look", "100ms"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
  }

  @AfterEach
  void nothing_is_lost() {
    checkouts.assertNothingIsLost();
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  void the_winner_pays_its_bid_once_and_there_is_one_sale() {
    var bid = won(500);

    var wrong = checkouts.pay(bid, "ann", "ok", 499);
    var paid = checkouts.pay(bid, "ann", "ok", 500);
    var again = checkouts.pay(bid, "ann", "ok", 500);

    assertThat(Api.code(wrong)).isEqualTo("amount-mismatch");
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    assertThat(Http.json(paid).get("state").asText()).isEqualTo("FULFILLED");
    assertThat(Api.code(again)).isEqualTo("checkout-exists");
    assertThat(liveSales(bid)).isOne();
    assertThat(captured(bid)).isEqualTo(500);
  }

  @ParameterizedTest
  @ValueSource(strings = {"decline", "fail-capture", "fail-fulfil"})
  void a_payment_that_fails_leaves_the_sale_and_another_may_follow(String method) {
    var bid = won(500);

    var failed = checkouts.pay(bid, "ann", method, 500);

    assertThat(Api.code(failed)).as(failed.body()).isEqualTo("checkout-failed");
    assertThat(liveSales(bid)).isOne();
    assertThat(Http.json(api.read(bid.id())).get("state").asText()).isEqualTo("CONFIRMED");
    assertThat(checkouts.pay(bid, "ann", "ok", 500).statusCode()).isEqualTo(200);
    assertThat(liveSales(bid)).isOne();
    assertThat(captured(bid)).isEqualTo(500);
  }

  @Test
  void only_the_winner_pays_and_only_after_the_close() {
    var lot = Lot.of(api);
    var winner = lot.bid("ann", 500);
    var loser = lot.bid("bob", 400);

    assertThat(Api.code(checkouts.pay(winner, "ann", "ok", 500))).isEqualTo("auction-open");
    lot.close();

    assertThat(Api.code(checkouts.pay(loser, "bob", "ok", 400))).isEqualTo("not-held");
    assertThat(Api.code(checkouts.pay(winner, "bob", "ok", 500))).isEqualTo("not-held");
    assertThat(checkouts.pay(winner, "ann", "ok", 500).statusCode()).isEqualTo(200);
  }

  @Test
  void of_several_checkouts_at_once_one_pays() {
    var bid = won(500);

    var answers = Together.run(6, _ -> checkouts.pay(bid, "ann", "ok", 500));

    assertThat(answers.stream().filter(answer -> answer.statusCode() == 200)).hasSize(1);
    assertThat(answers.stream().filter(answer -> answer.statusCode() != 200))
        .extracting(Api::code)
        .containsOnly("checkout-exists");
    assertThat(captured(bid)).isEqualTo(500);
  }

  @Test
  void a_voided_sale_is_refunded_and_cannot_be_paid_again() {
    var bid = won(500);
    var paid = Http.json(checkouts.pay(bid, "ann", "ok", 500));

    var voided = reverse(bid);

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    checkouts.awaitState(paid.get("checkoutId").asText(), "COMPENSATED");
    assertThat(liveSales(bid)).isZero();
    assertThat(captured(bid)).isZero();
    assertThat(Api.code(checkouts.pay(bid, "ann", "ok", 500))).isEqualTo("not-held");
  }

  @Test
  void a_sale_whose_payment_failed_can_be_voided() {
    var bid = won(500);
    checkouts.pay(bid, "ann", "decline", 500);

    assertThat(reverse(bid).statusCode()).isEqualTo(200);
    assertThat(liveSales(bid)).isZero();
  }

  private static HttpResponse<String> reverse(Hold bid) {
    return api.post(
        "/v1/commitments/cm~" + bid.id() + "/void", Api.token(), "{\"refund\":\"full\"}");
  }

  /// The bid of ann has won.
  private static Hold won(long amountCents) {
    var lot = Lot.of(api);
    var bid = lot.bid("ann", amountCents);
    lot.bid("bob", amountCents - 1);
    assertThat(lot.close().statusCode()).isEqualTo(200);
    return bid;
  }

  private static long liveSales(Hold bid) {
    return rows.number(
        "SELECT count(*) FROM commitment WHERE hold_id = ? AND voided_at IS NULL", bid.id());
  }

  /// What all checkouts of the bid have captured and not refunded.
  private static long captured(Hold bid) {
    return rows.number(
        """
        SELECT coalesce(sum(CASE kind WHEN 'CAPTURED' THEN cents WHEN 'REFUNDED' THEN -cents
                            ELSE 0 END), 0)
          FROM payment_entry JOIN checkout USING (pool, checkout_id) WHERE hold_id = ?
        """,
        bid.id());
  }
}
