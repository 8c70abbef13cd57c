package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Late;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// When a logical key is looked at, what consumes it with its effect, and what its age means.
/// `bare` sells every pinned hold, so that only the database can refuse.
@ExtendWith(RealServers.class)
class ConsumedKeyTest {
  private static final int WRITERS = 8;

  private final TestServers servers;
  private SalesFixture shop;
  private TestLedger ledger;
  private TestLedger bare;

  ConsumedKeyTest(TestServers servers) {
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

  /// A nonce that is good for nothing shows what was looked at first.
  @Requirement({"RS-S0", "RS-TX-1"})
  @Test
  void the_key_is_looked_at_before_the_nonce_and_a_refused_nonce_leaves_no_rows() {
    var hold = shop.hold("A-1");
    var ask = shop.ask(hold).key("order/7");
    var useless = ask.nonce("made up");
    var spare = nonce(hold);

    assertThat(ledger.confirm(useless.token("t1").confirm()))
        .isEqualTo(new Refused(Reason.NONCE_UNBOUND, false));
    assertThat(effects()).isEqualTo("0 0 0 0 0");

    var sale = shop.ask(Samples.pinned(hold, 3)).key("order/7").nonce(nonce(hold));
    var first = (Confirmed) ledger.confirm(sale.token("t2").confirm());
    assertThat(effects()).isEqualTo("1 1 1 1 1");

    assertThat(ledger.confirm(useless.token("t3").confirm())).isEqualTo(replay(first));
    assertThat(ledger.confirm(ask.nonce(spare).token("t4").confirm())).isEqualTo(replay(first));
    assertThat(effects()).isEqualTo("1 1 1 1 1");
  }

  /// The requests share nothing but their logical key, so that only its index can refuse.
  @Requirement({"RS-SF-d", "RS-TX-4"})
  @Test
  void of_concurrent_requests_that_consume_one_key_one_has_its_effect_and_the_others_none() {
    var holds = IntStream.rangeClosed(1, WRITERS).mapToObj(i -> shop.hold("A-" + i)).toList();

    try (var other = TestLedger.withoutValidator(servers.jdbcUrl())) {
      var ends =
          Together.run(
              WRITERS,
              i ->
                  (i % 2 == 0 ? bare : other)
                      .confirm(shop.ask(holds.get(i)).key("order/7").confirm()));

      assertThat(ends).filteredOn(Confirmed.class::isInstance).hasSize(1);
    }
    assertThat(effects()).isEqualTo("1 1 1 1 0");
    assertThat(shop.count("token_result")).isOne();
    assertThat(shop.count("outbox")).isOne();
  }

  /// The deadline of the pin, the time of the nonce and the age of the record have passed.
  @Requirement({"RS-FR-1", "RS-FR-4"})
  @Test
  void staleness_refuses_new_requests_and_neither_frees_nor_refuses_a_consumed_key() {
    var hold = shop.hold("A-1");
    var sale = shop.ask(hold).key("order/7").nonce(nonce(hold));
    var first = (Confirmed) ledger.confirm(sale.confirm());
    var newcomer = shop.hold("A-2");
    var spare = nonce(newcomer);
    makeNoncesAndKeysOld();
    var past = Instant.ofEpochMilli(System.currentTimeMillis() - 1);

    var fresh = shop.ask(newcomer).key("order/8");
    assertThat(ledger.confirm(fresh.token("n1").intent(until(past, newcomer)).confirm()))
        .isEqualTo(new Late());
    assertThat(ledger.confirm(fresh.token("n2").nonce(spare).confirm()))
        .isEqualTo(new Refused(Reason.NONCE_UNBOUND, false));

    var again = sale.token("t2").intent(until(past, hold));
    assertThat(ledger.confirm(again.confirm())).isEqualTo(replay(first));
    var byAnother = shop.ask(Samples.pinned(newcomer, 3)).key("order/7");
    assertThat(ledger.confirm(byAnother.token("t3").confirm()))
        .isEqualTo(new Refused(Reason.REPLAY_DUPLICATE, false));
    assertThat(bare.confirm(byAnother.token("t4").confirm())).isInstanceOf(NotDecided.class);
    assertThat(effects()).isEqualTo("1 1 1 1 1");
  }

  private static Pinned until(Instant deadline, HoldRecord hold) {
    return new Pinned(hold, deadline, SalesFixture.EPOCH);
  }

  private void makeNoncesAndKeysOld() {
    shop.rows().change("ALTER TABLE authorization_nonce DISABLE TRIGGER USER");
    shop.rows().change("ALTER TABLE consumed_request DISABLE TRIGGER USER");
    shop.rows()
        .change(
            "UPDATE authorization_nonce SET not_before = now() - interval '2 days', not_after ="
                + " now() - interval '1 day', consumed_at = CASE WHEN consumed_at IS NOT NULL THEN"
                + " now() - interval '36 hours' END");
    shop.rows().change("UPDATE consumed_request SET consumed_at = now() - interval '2 years'");
    shop.rows().change("ALTER TABLE authorization_nonce ENABLE TRIGGER USER");
    shop.rows().change("ALTER TABLE consumed_request ENABLE TRIGGER USER");
  }

  /// Consumed keys, commitments, items that are not free, ended holds and used nonces.
  private String effects() {
    return shop.rows()
        .texts(
            """
            SELECT concat_ws(' ', (SELECT count(*) FROM consumed_request),
                             (SELECT count(*) FROM commitment),
                             (SELECT count(*) FROM item WHERE status <> 'FREE'),
                             (SELECT count(*) FROM hold WHERE state <> 'HELD'),
                             (SELECT count(*) FROM authorization_nonce
                               WHERE consumed_at IS NOT NULL))
            """)
        .getFirst();
  }

  private String nonce(HoldRecord hold) {
    return shop.nonce(hold, "confirm", 60);
  }

  private static Confirmed replay(Confirmed first) {
    return new Confirmed(first.hold(), List.of(), 0, true);
  }
}
