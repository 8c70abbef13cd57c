package io.holdfast.commitment;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Collision;
import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Ended;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResolution.Unpinned;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The row of a pinned hold decides its end; the first writer wins.
@ExtendWith(RealServers.class)
class OneArbiterTest {
  private final TestServers servers;
  private SalesFixture shop;
  private TestLedger ledger;

  OneArbiterTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = SalesFixture.open(servers);
    ledger = TestLedger.on(servers.jdbcUrl());
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  @Test
  void a_resolved_pin_cannot_sell_and_the_next_one_can() {
    var hold = shop.hold("A-1");

    assertThat(ledger.ledger().resolve(ARENA, hold, SalesFixture.EPOCH)).isEqualTo(new Unpinned(2));
    assertThat(ledger.ledger().resolve(ARENA, hold, SalesFixture.EPOCH)).isEqualTo(new Unpinned(2));

    assertThat(ledger.confirm(shop.ask(hold).confirm())).isEqualTo(new Superseded());
    assertThat(ledger.confirm(shop.ask(Samples.pinned(hold, 3)).confirm()))
        .isInstanceOf(Confirmed.class);
  }

  @Test
  void resolving_a_sold_hold_returns_the_sale() {
    var hold = shop.hold("A-1", "A-2");
    var sold = (Confirmed) ledger.confirm(shop.ask(hold).confirm());

    assertThat(ledger.ledger().resolve(ARENA, hold, SalesFixture.EPOCH))
        .isEqualTo(new PinResolution.Ended(sold.hold(), sold.items()));
  }

  @Test
  void resolving_an_older_pin_does_not_lower_the_pin_number() {
    var hold = shop.hold("A-1");
    ledger.ledger().resolve(ARENA, Samples.pinned(hold, 3), SalesFixture.EPOCH);

    assertThat(ledger.ledger().resolve(ARENA, hold, SalesFixture.EPOCH)).isEqualTo(new Unpinned(4));
  }

  @Test
  void a_release_of_a_pinned_hold_is_decided_and_stored_by_postgres() {
    var hold = shop.hold("A-1");
    var call = release(hold, "r1");

    var first = (Ended) ledger.ledger().end(call);

    assertThat(first.outcome()).isInstanceOf(StoredOutcome.Released.class);
    assertThat(ledger.ledger().end(call)).isEqualTo(new Ended(first.outcome(), true));
    assertThat(ledger.confirm(shop.ask(hold).confirm()))
        .isEqualTo(new Refused(Reason.NOT_HELD, false));
    assertThat(shop.rows().texts("SELECT state FROM hold")).containsExactly("RELEASED");
    assertThat(ledger.outbox().due(Duration.ZERO, 10))
        .singleElement()
        .satisfies(
            due -> {
              assertThat(first.outcome().hold()).isEqualTo(due.hold());
              assertThat(
                      shop.rows()
                          .texts("SELECT outcome FROM token_result WHERE action = 'release'"))
                  .containsExactly("RELEASED\t" + due.hold().format());
              assertThat(due.items()).extracting(ItemState::status).containsExactly(Status.FREE);
            });
  }

  @Test
  void an_expiry_by_a_time_limit_is_no_earlier_than_that_limit() {
    var hold = shop.hold("A-1");
    var call =
        new EndHoldRequest(
            TokenAction.EXPIRE,
            shop.pool(),
            "operator",
            new Token("e1"),
            Digest.of("expire", List.of("x"), Map.of()),
            hold,
            HoldState.EXPIRED,
            EndReason.WINDOW,
            SalesFixture.EPOCH);

    var ended = (Ended) ledger.ledger().end(call);

    assertThat(ended.outcome()).isInstanceOf(StoredOutcome.Expired.class);
    assertThat(ended.outcome().hold().endedAt()).isEqualTo(hold.expiresAt());
  }

  @Test
  void a_sold_hold_is_not_released() {
    var hold = shop.hold("A-1");
    ledger.confirm(shop.ask(hold).confirm());

    assertThat(ledger.ledger().end(release(hold, "r1")))
        .isEqualTo(new Refused(Reason.NOT_HELD, false));
    assertThat(ledger.ledger().end(release(hold, "t-" + hold.fence() + "-1")))
        .isEqualTo(new Collision());
  }

  @Test
  void a_release_that_saw_an_older_pin_does_not_end_a_hold_with_a_newer_one() {
    var hold = shop.hold("A-1");
    ledger.ledger().resolve(ARENA, Samples.pinned(hold, 3), SalesFixture.EPOCH);

    assertThat(ledger.ledger().end(release(hold, "r1")))
        .isEqualTo(new Refused(Reason.NOT_HELD, false));
  }

  @RepeatedTest(20)
  void of_a_concurrent_sale_release_and_resolution_one_wins() {
    var hold = shop.hold("A-1");

    var ends =
        Together.run(
            3,
            i ->
                switch (i) {
                  case 0 -> ledger.confirm(shop.ask(hold).confirm());
                  case 1 -> ledger.ledger().end(release(hold, "r-" + hold.fence()));
                  default -> ledger.ledger().resolve(ARENA, hold, SalesFixture.EPOCH);
                });

    var isSold = ends.get(0) instanceof Confirmed;
    var isReleased = ends.get(1) instanceof Ended;
    var isUnpinned = ends.get(2) instanceof Unpinned;
    assertThat(isSold && isReleased).as("%s", ends).isFalse();
    assertThat(isSold && isUnpinned).as("%s", ends).isFalse();
    assertThat(shop.rows().texts("SELECT state FROM hold"))
        .containsExactly(isSold ? "CONFIRMED" : isReleased ? "RELEASED" : "HELD");
    assertThat(shop.rows().number("SELECT count(*) FROM commitment")).isEqualTo(isSold ? 1 : 0);
  }

  @Test
  void a_sale_is_relayed_to_redis_until_it_is_acknowledged() {
    var hold = shop.hold("A-1");
    var sold = (Confirmed) ledger.confirm(shop.ask(hold).confirm());

    assertThat(ledger.outbox().due(Duration.ofMinutes(1), 10)).isEmpty();
    var due = ledger.outbox().due(Duration.ZERO, 10).getFirst();
    ledger.outbox().acknowledge(List.of(due.id()));

    assertThat(due.hold()).isEqualTo(sold.hold());
    assertThat(due.items())
        .containsExactly(new ItemState(hold.items().getFirst(), 1, Status.SOLD, null));
    assertThat(ledger.outbox().due(Duration.ZERO, 10)).isEmpty();
  }

  @Test
  void the_result_of_a_call_is_found_by_token_and_by_logical_key() {
    var hold = shop.hold("A-1");
    var request = shop.ask(hold).key("order/7").confirm();
    var sold = (Confirmed) ledger.confirm(request);
    ledger.confirm(request);

    var byToken = ledger.operations().byToken(ARENA, "shop", request.token()).orElseThrow();
    var byKey = ledger.operations().byLogicalKey(ARENA, "shop", "order/7").orElseThrow();

    assertThat(byToken.outcome()).isEqualTo(new StoredOutcome.Confirmed(sold.hold()));
    assertThat(byToken.attempts()).isEqualTo(2);
    assertThat(byKey).isEqualTo(byToken);
    assertThat(ledger.operations().byToken(ARENA, "mall", request.token())).isEmpty();
    assertThat(ledger.operations().byLogicalKey(ARENA, "shop", "order/8")).isEmpty();
  }

  @Test
  void a_pin_of_another_epoch_neither_ends_the_hold_nor_is_resolved() {
    var hold = shop.hold("A-1");
    var before = new Epoch(SalesFixture.EPOCH.value() + 1);

    assertThat(ledger.ledger().end(release(hold, "r-1", before))).isEqualTo(new Superseded());
    assertThat(ledger.ledger().resolve(ARENA, hold, before))
        .isEqualTo(new PinResolution.EpochEnded());

    assertThat(shop.count("hold")).isZero();
    assertThat(shop.count("token_result")).isZero();
    assertThat(ledger.confirm(shop.ask(hold).confirm())).isInstanceOf(Confirmed.class);
  }

  private EndHoldRequest release(HoldRecord hold, String token) {
    return release(hold, token, SalesFixture.EPOCH);
  }

  private EndHoldRequest release(HoldRecord hold, String token, Epoch epoch) {
    return new EndHoldRequest(
        TokenAction.RELEASE,
        shop.pool(),
        "shop",
        new Token(token),
        Digest.of("release", List.of(hold.id(ARENA).toString()), Map.of("requester", "anna")),
        hold,
        HoldState.RELEASED,
        null,
        epoch);
  }
}
