package io.holdfast.commitment.claim;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.commitment.ArtifactHash;
import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Late;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.CommitSettings;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.EndHoldRequest;
import io.holdfast.commitment.ItemVersion;
import io.holdfast.commitment.PinResolution.Claimed;
import io.holdfast.commitment.PinResolution.Unpinned;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.SalesFixture;
import io.holdfast.commitment.claim.CheckoutClaims.Claim;
import io.holdfast.commitment.claim.ClaimOutcome.Done;
import io.holdfast.commitment.claim.ClaimOutcome.NotNow;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.Transaction;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Claimed items are sold at the fence of the claim, or returned.
@ExtendWith(RealServers.class)
class CheckoutClaimsTest {
  private static final Instant UNTIL = Instant.parse("2099-01-01T00:00:00Z");

  private final TestServers servers;
  private final CheckoutClaims claims =
      new CheckoutClaims(new CommitSettings(1, 1, 1, Duration.ofMillis(300)), new ArtifactHash());
  private SalesFixture shop;
  private TestLedger ledger;

  CheckoutClaimsTest(TestServers servers) {
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

  @Requirement({"BR-C-1", "BR-F-3"})
  @Test
  void a_claim_is_sold_at_its_own_fence() {
    var request = shop.ask(shop.hold("A-1", "A-2")).confirm();

    assertThat(claim(request)).isInstanceOf(Done.class);
    assertThat(statuses()).containsExactly("CLAIMED", "CLAIMED");
    var sold = (Done) step(transaction -> claims.sell(transaction, request));

    assertThat(sold.hold().state()).isEqualTo(HoldState.CONFIRMED);
    assertThat(sold.items()).extracting(ItemVersion::version).containsExactly(2L, 2L);
    assertThat(statuses()).containsExactly("SOLD", "SOLD");
    assertThat(shop.count("commitment")).isEqualTo(2);
    assertThat(ledger.verifyLate(Duration.ZERO)).isOne();
    assertThat(shop.count("verification WHERE passed")).isOne();
  }

  @Test
  void a_claimed_hold_is_ended_only_by_its_checkout() {
    var hold = shop.hold("A-1");
    var request = shop.ask(hold).confirm();
    claim(request);

    assertThat(ledger.confirm(shop.ask(Samples.pinned(hold, 3)).confirm()))
        .isEqualTo(new Running());
    assertThat(ledger.ledger().resolve(ARENA, hold, SalesFixture.EPOCH))
        .isEqualTo(new Claimed(UNTIL));
    assertThat(ledger.ledger().resolve(ARENA, Samples.pinned(hold, 3), SalesFixture.EPOCH))
        .isEqualTo(new Claimed(UNTIL));
    var release =
        new EndHoldRequest(
            TokenAction.RELEASE,
            shop.pool(),
            "shop",
            new Token("r"),
            Digest.of("release", List.of(), Map.of()),
            hold,
            HoldState.RELEASED,
            null,
            SalesFixture.EPOCH);
    assertThat(ledger.ledger().end(release)).isEqualTo(new Refused(Reason.NOT_HELD, false));
    assertThat(claim(shop.ask(Samples.pinned(hold, 3)).confirm()))
        .isEqualTo(new NotNow(new Running()));
    assertThat(claim(request)).isInstanceOf(Done.class);
  }

  @Requirement({"BR-F-2", "BR-F-4", "BR-F-5"})
  @Test
  void a_stale_holder_does_not_beat_a_newer_claim() {
    var stale = shop.hold("A-1");
    claim(shop.ask(shop.hold("A-1")).confirm());

    assertThat(claim(shop.ask(stale).confirm()))
        .isEqualTo(new ClaimOutcome.Refused(Reason.STALE_FENCE));
    assertThat(ledger.confirm(shop.ask(stale).confirm()))
        .isEqualTo(new Refused(Reason.STALE_FENCE, false));
    try (var bare = TestLedger.withoutValidator(servers.jdbcUrl())) {
      assertThat(bare.confirm(shop.ask(Samples.pinned(stale, 3)).confirm()))
          .isNotInstanceOf(Confirmed.class);
    }
    assertThat(shop.count("commitment")).isZero();
  }

  @Test
  void returned_items_keep_their_fence_and_go_to_a_higher_one() {
    var hold = shop.hold("A-1");
    claim(shop.ask(hold).confirm());

    assertThat(step(transaction -> claims.giveBack(transaction, ARENA, hold)))
        .isInstanceOf(Done.class);
    assertThat(step(transaction -> claims.giveBack(transaction, ARENA, hold)))
        .isEqualTo(new ClaimOutcome.Refused(Reason.NOT_HELD));

    assertThat(
            shop.rows().texts("SELECT concat_ws(' ', status, fence) FROM item WHERE item = 'A-1'"))
        .containsExactly("FREE " + hold.fence());
    assertThat(ledger.ledger().resolve(ARENA, hold, SalesFixture.EPOCH)).isEqualTo(new Unpinned(2));
    assertThat(claim(shop.ask(hold).confirm())).isEqualTo(new NotNow(new Superseded()));
    assertThat(ledger.confirm(shop.ask(shop.hold("A-1")).confirm())).isInstanceOf(Confirmed.class);
  }

  @Test
  void only_claimed_items_are_sold_and_only_until_the_claim_ends() {
    var hold = shop.hold("A-1");
    var past = Instant.ofEpochMilli(System.currentTimeMillis() - 1);

    assertThat(step(transaction -> claims.sell(transaction, shop.ask(hold).confirm())))
        .isEqualTo(new ClaimOutcome.Refused(Reason.NOT_HELD));
    assertThat(claim(shop.ask(hold).intent(new Pinned(hold, past, SalesFixture.EPOCH)).confirm()))
        .isEqualTo(new NotNow(new Late()));
  }

  @Test
  void items_are_claimed_at_the_agreed_price_only_and_keep_it() {
    var hold = shop.hold("A-1", "A-2");
    var request = shop.ask(hold).confirm();
    shop.rows().change("UPDATE item SET price_cents = 9000 WHERE item = 'A-2'");

    assertThat(claim(request, 10_000)).isEqualTo(new ClaimOutcome.OtherPrice(14_000));
    assertThat(statuses()).isEmpty();
    assertThat(claim(request, 14_000)).isInstanceOf(Done.class);

    assertThatThrownBy(
            () -> shop.rows().change("UPDATE item SET price_cents = 1 WHERE item = 'A-1'"))
        .rootCause()
        .hasMessageContaining("keeps its price");
  }

  private List<String> statuses() {
    return shop.rows().texts("SELECT status FROM item WHERE fence > 0 ORDER BY item");
  }

  /// At the price of its seats.
  private ClaimOutcome claim(ConfirmRequest request) {
    return claim(request, 5_000L * ((Pinned) request.intent()).hold().items().size());
  }

  private ClaimOutcome claim(ConfirmRequest request, long cents) {
    return step(transaction -> claims.claim(transaction, new Claim(request, UNTIL, cents)));
  }

  private ClaimOutcome step(Function<Transaction, ClaimOutcome> step) {
    return ledger
        .link()
        .transactions()
        .write(connection -> step.apply(new Transaction(connection)));
  }
}
