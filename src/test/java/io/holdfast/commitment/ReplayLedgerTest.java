package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.PinResult.Away;
import io.holdfast.commitment.authorization.AuthorizationNonces;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The adversarial table of the replay ledger. `bare` sells every pinned hold, so that only the
/// database can refuse. RP-06 is in `LostAnswersTest`, RP-10 in `ReplayTableCheckTest`.
@ExtendWith(RealServers.class)
class ReplayLedgerTest {
  private final TestServers servers;
  private SalesFixture shop;
  private TestLedger ledger;
  private TestLedger bare;

  ReplayLedgerTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = SalesFixture.open(servers);
    ledger = TestLedger.on(servers.jdbcUrl());
    bare = TestLedger.withoutValidator(servers.jdbcUrl());
  }

  @AfterEach
  void close() {
    ledger.close();
    bare.close();
  }

  @Requirement({"RP-01", "RS-ID-1", "RS-ID-2", "RS-ID-3", "RS-ID-7", "RS-LY-1", "RS-MN-1"})
  @Test
  void rp_01_the_same_logical_key_with_a_new_attempt_gets_the_prior_result() {
    var ask = shop.ask(shop.hold("A-1")).attempt("1");
    var first = (Confirmed) ledger.confirm(ask.confirm());

    assertThat(ledger.confirm(ask.token("t2").attempt("2").confirm())).isEqualTo(replay(first));
    assertThat(bare.confirm(ask.token("t3").attempt("3").confirm())).isInstanceOf(NotDecided.class);
    assertThat(shop.count("consumed_request")).isOne();
    assertThat(shop.count("commitment")).isOne();
    assertThat(shop.rows().texts("SELECT attempt_id FROM attempt ORDER BY id"))
        .containsExactly("1", "2", "3");
  }

  @Requirement({"RP-02", "RS-ID-3", "RS-ID-6", "RS-TX-3", "RS-LY-1", "BR-K-3"})
  @Test
  void rp_02_a_new_nonce_does_not_repeat_an_effect() {
    var first = shop.hold("A-1");
    ledger.confirm(shop.ask(first).key("order/7").nonce(nonce(first)).confirm());
    var second = shop.hold("A-2");
    var again = shop.ask(second).key("order/7").nonce(nonce(second));

    assertThat(bare.confirm(again.confirm())).isInstanceOf(NotDecided.class);
    assertThat(ledger.confirm(again.confirm()))
        .isEqualTo(new Refused(Reason.REPLAY_DUPLICATE, false));
    assertThat(shop.count("commitment")).isOne();
    assertThat(shop.count("authorization_nonce WHERE consumed_at IS NULL")).isOne();
  }

  @Requirement("RS-TX-3")
  @Test
  void another_order_under_a_consumed_key_is_a_duplicate_and_under_another_key_not_held() {
    var hold = shop.hold("A-1");
    ledger.confirm(shop.ask(hold).confirm());
    var sold = shop.ask(hold).intent(new PinResult.Refused(Reason.NOT_HELD));

    assertThat(ledger.confirm(sold.token("t2").order("order-2").confirm()))
        .isEqualTo(new Refused(Reason.REPLAY_DUPLICATE, false));
    assertThat(ledger.confirm(sold.token("t3").key("other").confirm()))
        .isEqualTo(new Refused(Reason.NOT_HELD, false));
  }

  @Requirement({"RP-03", "RS-ID-4", "RS-ID-8", "RS-TX-2", "RS-LY-1"})
  @Test
  void rp_03_a_nonce_that_was_used_is_refused() throws SQLException {
    var first = shop.hold("A-1");
    var nonce = nonce(first);
    ledger.confirm(shop.ask(first).nonce(nonce).confirm());
    var again = shop.ask(shop.hold("A-2")).nonce(nonce);

    assertThat(bare.confirm(again.confirm())).isInstanceOf(NotDecided.class);
    assertThat(ledger.confirm(again.confirm()))
        .isEqualTo(new Refused(Reason.NONCE_CONSUMED, false));
    assertThat(shop.count("consumed_request")).isOne();
    assertThatThrownBy(
            () -> shop.rows().change("UPDATE authorization_nonce SET consumed_at = now()"))
        .hasRootCauseMessage(
            "ERROR: a nonce stays as it was made; it can be used, once\n"
                + "  Where: PL/pgSQL function authorization_nonce_is_used_once() line 3 at RAISE");
  }

  @Requirement({"RP-04", "RS-ID-5", "RS-TX-2", "RS-LY-1"})
  @Test
  void rp_04_a_nonce_for_something_else_is_refused() {
    var hold = shop.hold("A-1");
    var ofAnother = nonce(shop.hold("A-2"));
    var forAnother = shop.nonce(hold, "compensate", 60);
    var stale = nonce(hold);
    shop.rows()
        .change("ALTER TABLE authorization_nonce DISABLE TRIGGER authorization_nonce_is_used_once");
    shop.rows()
        .change(
            """
            UPDATE authorization_nonce
               SET not_before = now() - interval '2 s', not_after = now() - interval '1 s'
             WHERE nonce_hash = ?
            """,
            AuthorizationNonces.hash(stale));
    shop.rows()
        .change("ALTER TABLE authorization_nonce ENABLE TRIGGER authorization_nonce_is_used_once");

    for (var nonce : List.of(ofAnother, forAnother, stale, "made up")) {
      var ask = shop.ask(Samples.pinned(hold, 1)).token(nonce).nonce(nonce);
      assertThat(bare.confirm(ask.confirm())).isInstanceOf(NotDecided.class);
    }
    var pin = 1;
    for (var nonce : List.of(ofAnother, forAnother, stale, "made up")) {
      var ask = shop.ask(Samples.pinned(hold, pin)).token(nonce).nonce(nonce);
      assertThat(ledger.confirm(ask.confirm())).isEqualTo(new Refused(Reason.NONCE_UNBOUND, false));
      pin += 2;
    }
    assertThat(shop.count("consumed_request")).isZero();
    assertThat(shop.count("authorization_nonce WHERE consumed_at IS NOT NULL")).isZero();
  }

  @Requirement({"RP-05", "RS-S2b", "RS-SF-g", "RS-LY-1"})
  @Test
  void rp_05_an_exact_retry_gets_the_prior_result_under_any_token_and_from_any_instance() {
    var ask = shop.ask(shop.hold("A-1"));
    var first = (Confirmed) ledger.confirm(ask.confirm());
    shop.rows().change("DELETE FROM token_result");

    try (var other = TestLedger.on(servers.jdbcUrl())) {
      assertThat(other.confirm(ask.confirm())).isEqualTo(replay(first));
      assertThat(other.confirm(ask.token("t2").intent(new Away("gone")).confirm()))
          .isEqualTo(replay(first));
    }
    assertThat(bare.confirm(ask.token("t3").confirm())).isInstanceOf(NotDecided.class);
    assertThat(shop.count("commitment")).isOne();
    assertThat(shop.count("token_result")).isEqualTo(2);
  }

  @Requirement({"RP-08", "RS-FR-2", "RS-FR-3", "RS-FR-5", "RS-LY-1"})
  @Test
  void rp_08_a_stale_request_is_refused_and_a_consumed_key_stays_consumed() {
    var ask = shop.ask(shop.hold("A-1")).key("order/7");
    var first = (Confirmed) ledger.confirm(ask.confirm());
    shop.rows()
        .change(
            """
            UPDATE token_result
               SET recorded_at = now() - interval '2 days', window_until = now() - interval '1 day'
            """);
    var stale =
        shop.ask(shop.hold("A-2")).key("order/7").intent(new PinResult.Refused(Reason.ELAPSED));
    var alive = shop.ask(shop.hold("A-3")).key("order/7");

    assertThat(ledger.confirm(ask.confirm())).isEqualTo(replay(first));
    assertThat(ledger.confirm(stale.confirm()))
        .isEqualTo(new Refused(Reason.REPLAY_DUPLICATE, false));
    assertThat(bare.confirm(alive.confirm())).isInstanceOf(NotDecided.class);
    assertThat(ledger.confirm(alive.confirm()))
        .isEqualTo(new Refused(Reason.REPLAY_DUPLICATE, false));
    assertThat(shop.count("commitment")).isOne();
  }

  @Requirement({"RS-FR-6", "RS-MN-3", "RS-SF-h"})
  @Test
  void no_purge_can_erase_that_a_key_was_consumed() {
    var ask = shop.ask(shop.hold("A-1"));
    ledger.confirm(ask.confirm());
    shop.rows()
        .change(
            """
            UPDATE token_result
               SET recorded_at = now() - interval '2 days', window_until = now() - interval '1 day'
            """);

    assertThat(ledger.link().tokens().purge(java.time.Duration.ZERO, 100)).isOne();

    for (var sql :
        List.of("DELETE FROM consumed_request", "UPDATE consumed_request SET order_id = 'x'")) {
      assertThatThrownBy(() -> shop.rows().change(sql))
          .hasRootCauseInstanceOf(SQLException.class)
          .rootCause()
          .hasMessageContaining("neither changed nor deleted");
    }
    assertThat(shop.count("consumed_request")).isOne();
  }

  @Requirement({"RP-09", "RS-S4", "RS-LY-1", "BR-K-4"})
  @RepeatedTest(5)
  void rp_09_of_two_concurrent_attempts_one_sells_and_the_other_gets_its_result() {
    var hold = shop.hold("A-1");
    try (var other = TestLedger.on(servers.jdbcUrl(), 1)) {
      var ends =
          Together.run(
              16,
              i ->
                  (i % 2 == 0 ? ledger : other)
                      .confirm(shop.ask(hold).token("t" + i).attempt("a" + i).confirm()));

      assertThat(ends)
          .filteredOn(e -> e instanceof Confirmed(_, _, _, var isReplay) && !isReplay)
          .hasSize(1);
      assertThat(ends).allMatch(e -> e instanceof Confirmed || e instanceof Running);
    }
    assertThat(shop.count("commitment")).isOne();
    assertThat(shop.count("consumed_request")).isOne();
  }

  @Requirement({"RP-09", "RS-TX-4"})
  @Test
  void rp_09_without_the_validator_two_concurrent_attempts_never_both_commit() {
    var hold = shop.hold("A-1");

    var ends = Together.run(8, i -> bare.confirm(shop.ask(hold).token("t" + i).confirm()));

    assertThat(ends).filteredOn(Confirmed.class::isInstance).hasSize(1);
    assertThat(shop.count("commitment")).isOne();
    assertThat(shop.count("consumed_request")).isOne();
  }

  private String nonce(io.holdfast.pool.HoldRecord hold) {
    return shop.nonce(hold, "confirm", 60);
  }

  private static Confirmed replay(Confirmed first) {
    return new Confirmed(first.hold(), List.of(), 0, true);
  }
}
