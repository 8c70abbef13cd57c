package io.holdfast.commitment.sale;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.PinResult;
import io.holdfast.commitment.SalesFixture;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.VanishingRows;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The verification of a sale after COMMIT and before the response.
@ExtendWith(RealServers.class)
class VerificationTest {
  private final TestServers servers;
  private SalesFixture shop;
  private TestLedger ledger;

  VerificationTest(TestServers servers) {
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
    VanishingRows.noMore(shop.rows());
  }

  @Requirement({"RP-07", "RS-S3a", "RS-S3b", "RS-S3c", "RS-LY-1"})
  @Test
  void rp_07_a_sale_that_fails_its_verification_stays_compensating_and_is_not_repeated() {
    VanishingRows.commitments(shop.rows());
    var hold = shop.hold("A-1");
    var ask = shop.ask(hold).key("order/7");

    assertThat(ledger.confirm(ask.confirm())).isEqualTo(new Refused(Reason.COMPENSATING, false));

    assertThat(ledger.confirm(ask.confirm())).isEqualTo(new Refused(Reason.COMPENSATING, true));
    var fresh = ask.token("t2").nonce(shop.nonce(hold, "confirm", 60));
    assertThat(ledger.confirm(fresh.confirm())).isEqualTo(new Refused(Reason.COMPENSATING, true));
    var byAnotherHold = shop.ask(shop.hold("A-2")).key("order/7");
    assertThat(ledger.confirm(byAnotherHold.confirm()))
        .isEqualTo(new Refused(Reason.REPLAY_DUPLICATE, false));
    try (var bare = TestLedger.withoutValidator(servers.jdbcUrl())) {
      assertThat(bare.confirm(ask.token("t3").confirm())).isNotInstanceOf(Confirmed.class);
    }
    assertThat(shop.count("consumed_request")).isOne();
    assertThat(shop.rows().texts("SELECT detail FROM verification WHERE NOT passed"))
        .containsExactly("not every item has its commitment");
    assertThat(ledger.operations().byLogicalKey(ARENA, "shop", "order/7").orElseThrow().outcome())
        .isEqualTo(Reason.COMPENSATING);
    assertThat(shop.count("attempt WHERE outcome = 'COMPENSATING'")).isPositive();
  }

  @Requirement("RS-S3d")
  @Test
  void a_sale_whose_process_died_before_its_verification_is_verified_by_the_next_call() {
    var ask = shop.ask(shop.hold("A-1"));
    var first = (Confirmed) ledger.confirm(ask.confirm());
    deleteVerifications();

    assertThat(ledger.outbox().due(Duration.ZERO, 10)).isEmpty();
    var away = ask.token("t2").intent(new PinResult.Refused(Reason.NOT_HELD));
    assertThat(((Confirmed) ledger.confirm(away.confirm())).hold()).isEqualTo(first.hold());

    assertThat(shop.count("verification WHERE passed")).isOne();
    assertThat(ledger.outbox().due(Duration.ZERO, 10)).hasSize(1);
  }

  @Test
  void a_sale_whose_process_died_before_its_verification_is_verified_in_the_background() {
    ledger.confirm(shop.ask(shop.hold("A-1")).confirm());
    deleteVerifications();

    assertThat(ledger.verifyLate(Duration.ZERO)).isOne();
    assertThat(ledger.verifyLate(Duration.ZERO)).isZero();

    assertThat(shop.count("verification WHERE passed")).isOne();
  }

  private void deleteVerifications() {
    shop.rows().change("ALTER TABLE verification DISABLE TRIGGER ALL");
    shop.rows().change("DELETE FROM verification");
    shop.rows().change("ALTER TABLE verification ENABLE TRIGGER ALL");
  }
}
