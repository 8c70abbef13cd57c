package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Unknown;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The connection to Postgres breaks at every step of a sale.
@ExtendWith(RealServers.class)
@Tag("slow")
class LostAnswersTest {
  private static final String COMMIT = "COMMIT\0";

  private final TestServers servers;
  private SalesFixture shop;
  private FaultProxy proxy;
  private TestLedger ledger;

  LostAnswersTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = SalesFixture.open(servers);
    proxy = FaultProxy.before(servers.jdbcUrl());
    ledger = TestLedger.on(proxy.insteadOf(servers.jdbcUrl()));
  }

  @AfterEach
  void close() {
    proxy.heal();
    ledger.close();
    proxy.close();
  }

  @Requirement({"RP-06", "RS-S1a", "RS-SF-f", "RS-TX-4", "RS-LY-1", "IR-EC-02", "IR-EC-03"})
  @ParameterizedTest(name = "lost at {0}")
  @ValueSource(
      strings = {
        "pg_try_advisory_xact_lock",
        "FOR UPDATE OF item",
        "INSERT INTO hold",
        "INSERT INTO consumed_request",
        "INSERT INTO outbox",
        COMMIT
      })
  void rp_06_a_break_before_commit_leaves_only_the_attempt_and_the_retry_sells_once(String step) {
    useCarefulPath();
    aBreakLeavesNothingButTheAttempt(step);
  }

  @Requirement({"RP-06", "RS-S1a", "RS-SF-f", "RS-TX-4", "RS-LY-1", "IR-EC-02", "IR-EC-03"})
  @ParameterizedTest(name = "lost at {0}")
  @ValueSource(
      strings = {"lock_timeout", "pg_try_advisory_xact_lock", "UPDATE item", "outbox", COMMIT})
  void rp_06_the_same_on_the_optimistic_path(String step) {
    aBreakLeavesNothingButTheAttempt(step);
  }

  private void aBreakLeavesNothingButTheAttempt(String step) {
    var request = shop.ask(shop.hold("A-1")).confirm();
    proxy.cutAt(step);

    var broken = ledger.confirm(request);

    assertThat(proxy.isStruck()).isTrue();
    assertThat(broken).isInstanceOf(NotDecided.class);
    assertThat(shop.count("consumed_request")).isZero();
    assertThat(shop.count("commitment")).isZero();
    assertThat(shop.count("token_result")).isZero();
    Await.until(
        Duration.ofSeconds(20), () -> shop.count("attempt WHERE outcome = 'ROLLED_BACK'") == 1);
    assertThat(ledger.confirm(request)).isInstanceOf(Confirmed.class);
    assertThat(shop.count("commitment")).isOne();
  }

  @Requirement({"RP-06", "RS-S1b", "RS-S2a"})
  @Test
  void rp_06_a_lost_commit_is_resolved_by_reading() {
    var request = shop.ask(shop.hold("A-1", "A-2")).confirm();

    var sold = (Confirmed) answered(request, () -> proxy.dropReplyTo(COMMIT));

    assertThat(proxy.isStruck()).isTrue();
    assertThat(sold.isReplay()).isFalse();
    assertThat(sold.items()).hasSize(2);
    assertThat(shop.count("commitment")).isEqualTo(2);
    assertThat(shop.count("verification WHERE passed")).isOne();
  }

  @Requirement({"RP-06", "RS-S1b"})
  @Test
  void rp_06_a_commit_lost_with_postgres_is_unknown_and_the_retry_gets_its_outcome() {
    var request = shop.ask(shop.hold("A-1")).confirm();

    assertThat(answered(request, () -> proxy.cutAtReplyTo(COMMIT))).isInstanceOf(Unknown.class);

    assertThat(proxy.isStruck()).isTrue();
    proxy.heal();
    var told = (Confirmed) decided(request);
    assertThat(told.isReplay()).isTrue();
    assertThat(shop.count("commitment")).isOne();
  }

  @Test
  void a_sale_that_cannot_be_verified_is_unknown_and_the_retry_gets_its_outcome() throws Exception {
    var request = shop.ask(shop.hold("A-1")).confirm();
    try (var other = servers.connection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("LOCK TABLE verification IN SHARE MODE");

      assertThat(ledger.confirm(request)).isInstanceOf(Unknown.class);

      assertThat(shop.count("commitment")).isOne();
      other.rollback();
    }
    assertThat(((Confirmed) ledger.confirm(request)).isReplay()).isTrue();
    assertThat(shop.count("verification WHERE passed")).isOne();
  }

  @Test
  void a_verification_whose_answer_is_lost_with_that_of_its_commit_is_repeated() {
    var request = shop.ask(shop.hold("A-1")).confirm();

    var sold = (Confirmed) answered(request, () -> proxy.dropReplyTo("INSERT INTO verification"));

    assertThat(sold.isReplay()).isFalse();

    assertThat(proxy.isStruck()).isTrue();
    assertThat(shop.count("verification WHERE passed")).isOne();
    assertThat(shop.count("commitment")).isOne();
  }

  @Test
  void nothing_is_decided_while_postgres_is_unavailable() {
    useCarefulPath();
    var request = shop.ask(shop.hold("A-1")).confirm();
    ledger.confirm(shop.ask(shop.hold("A-2")).confirm());
    proxy.cut();

    assertThat(ledger.confirm(request)).isInstanceOf(NotDecided.class);

    proxy.heal();
    assertThat(decided(request)).isInstanceOf(Confirmed.class);
  }

  @Test
  void an_optimistic_sale_is_unknown_when_postgres_goes_away_and_the_retry_sells() {
    var request = shop.ask(shop.hold("A-1")).confirm();
    ledger.confirm(shop.ask(shop.hold("A-2")).confirm());
    proxy.cut();

    assertThat(ledger.confirm(request)).isInstanceOf(Unknown.class);

    proxy.heal();
    assertThat(((Confirmed) decided(request)).isReplay()).isFalse();
    assertThat(shop.count("commitment")).isEqualTo(2);
  }

  /// On a busy machine the connection may break before Postgres has the request. Then nothing is
  /// sold, and the fault is injected once more. A refusal that is wrong shows as a sale, or as a
  /// replay by the second attempt.
  private CommitOutcome answered(ConfirmRequest request, Runnable fault) {
    fault.run();
    var outcome = ledger.confirm(request);
    if (!(outcome instanceof NotDecided)) {
      return outcome;
    }
    assertThat(shop.count("commitment")).isZero();
    proxy.heal();
    fault.run();
    return ledger.confirm(request);
  }

  /// The first calls after a break may meet connections that are lost. A busy machine may refuse a
  /// call definitely.
  private CommitOutcome decided(ConfirmRequest request) {
    var outcome = new AtomicReference<CommitOutcome>();
    Await.until(
        Duration.ofSeconds(20),
        () -> {
          outcome.set(ledger.confirm(request));
          return !(outcome.get() instanceof NotDecided);
        });
    return outcome.get();
  }

  private void useCarefulPath() {
    ledger.close();
    ledger = TestLedger.careful(proxy.insteadOf(servers.jdbcUrl()));
  }
}
