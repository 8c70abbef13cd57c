package io.holdfast.commitment;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Collision;
import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Drift;
import io.holdfast.commitment.CommitOutcome.Late;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.PinResult.Absent;
import io.holdfast.commitment.PinResult.Away;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(RealServers.class)
class SaleTest {
  private static final String HOLD =
      """
      INSERT INTO hold (pool, hold_id, caller, requester, items, fence, salt, token, placed_at,
                        lease_until, lease_ms, expires_at, pin_no, state)
      VALUES ('arena', ?, ?, ?, ARRAY[?], ?, ?, ?, ?, ?, ?, ?, ?, 'HELD')
      """;

  final TestServers servers;
  SalesFixture shop;
  TestLedger ledger;

  SaleTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = SalesFixture.open(servers);
    ledger = ledger(servers.jdbcUrl());
  }

  /// The optimistic path; `CarefulSaleTest` runs the same tests on the careful path.
  TestLedger ledger(String jdbcUrl) {
    return TestLedger.on(jdbcUrl);
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  @Requirement({"BR-F-3", "RS-S2a", "RS-S3d"})
  @Test
  void a_sale_writes_all_its_rows() {
    var hold = shop.hold("A-1", "A-2");

    var outcome = (Confirmed) ledger.confirm(shop.ask(hold).confirm());

    assertThat(outcome.isReplay()).isFalse();
    assertThat(outcome.hold().state()).isEqualTo(HoldState.CONFIRMED);
    assertThat(outcome.items()).extracting(ItemVersion::version).containsExactly(1L, 1L);
    assertThat(
            texts(
                """
                SELECT concat_ws(' ', c.item, c.fence = h.fence, c.price_cents, c.currency,
                                 c.committed_at = h.ended_at, i.status, i.holder = h.hold_id)
                  FROM commitment c JOIN item i USING (pool, item) JOIN hold h USING (pool, hold_id)
                 WHERE h.state = 'CONFIRMED' ORDER BY 1
                """))
        .containsExactly("A-1 t 5000 EUR t SOLD t", "A-2 t 5000 EUR t SOLD t");
    assertThat(count("consumed_request WHERE target = '" + hold.id(ARENA) + "'")).isOne();
    assertThat(count("verification WHERE passed")).isOne();
    assertThat(count("outbox WHERE topic = 'settle'")).isOne();
    assertThat(count("token_result WHERE outcome = '" + text(outcome.hold()) + "'")).isOne();
    assertThat(count("attempt WHERE outcome = 'CONFIRMED'")).isOne();
  }

  /// Each row names the transaction that has written it.
  @Requirement({"RS-UF-4", "BR-C-6", "H-4"})
  @Test
  void the_compare_and_set_the_consumed_key_and_the_result_are_of_one_transaction() {
    var hold = shop.hold("A-1");

    ledger.confirm(shop.ask(hold).confirm());

    assertThat(
            texts(
                """
                SELECT concat_ws(' ', count(*), count(DISTINCT transaction))
                  FROM (SELECT xmin::text AS transaction FROM item WHERE status = 'SOLD'
                        UNION ALL SELECT xmin::text FROM commitment
                        UNION ALL SELECT xmin::text FROM hold WHERE state = 'CONFIRMED'
                        UNION ALL SELECT xmin::text FROM consumed_request
                        UNION ALL SELECT xmin::text FROM token_result
                        UNION ALL SELECT xmin::text FROM outbox) written
                """))
        .containsExactly("6 1");
  }

  @Requirement({"BR-K-1", "BR-K-4", "BR-C-5", "RS-S2b", "RS-SF-g"})
  @Test
  void a_repeated_request_gets_the_same_answer_and_writes_no_second_sale() {
    var request = shop.ask(shop.hold("A-1")).confirm();
    var first = (Confirmed) ledger.confirm(request);

    var second = (Confirmed) ledger.confirm(request);

    assertThat(second.isReplay()).isTrue();
    assertThat(second.hold()).isEqualTo(first.hold());
    assertThat(second.items()).isEmpty();
    assertThat(count("commitment")).isOne();
    assertThat(count("attempt")).isOne();
    assertThat(texts("SELECT version FROM item WHERE item = 'A-1'")).containsExactly("1");
  }

  @Test
  void a_token_of_another_request_is_a_collision() {
    var ask = shop.ask(shop.hold("A-1"));
    ledger.confirm(ask.confirm());

    assertThat(ledger.confirm(ask.order("order-2").confirm())).isEqualTo(new Collision());
  }

  @Test
  void a_token_of_another_digest_function_is_reported_as_drift() {
    var ask = shop.ask(shop.hold("A-1"));
    ledger.confirm(ask.confirm());
    shop.rows().change("UPDATE token_result SET digest_function = '0'");

    assertThat(ledger.confirm(ask.confirm())).isEqualTo(new Drift("0"));
  }

  @Requirement({"BR-C-1", "BR-F-4"})
  @Test
  void a_sold_seat_is_not_sold_again_at_a_lower_fence() {
    var older = shop.hold("A-1", "A-2");
    var newer = shop.hold("A-1");
    ledger.confirm(shop.ask(newer).confirm());

    assertThat(ledger.confirm(shop.ask(older).confirm()))
        .isEqualTo(new Refused(Reason.STALE_FENCE, false));

    assertThat(texts("SELECT status FROM item WHERE item = 'A-2'")).containsExactly("FREE");
    assertThat(texts("SELECT pin_no FROM hold WHERE state = 'HELD'")).containsExactly("2");
  }

  @Requirement({"BR-C-1", "BR-T-12"})
  @Test
  void a_sold_seat_is_not_sold_again_at_a_higher_fence() {
    ledger.confirm(shop.ask(shop.hold("A-1")).confirm());
    var later = shop.ask(shop.hold("A-2", "A-1"));

    assertThat(ledger.confirm(later.confirm())).isEqualTo(new Refused(Reason.NOT_HELD, false));
    assertThat(ledger.confirm(later.confirm())).isEqualTo(new Refused(Reason.NOT_HELD, true));
    assertThat(count("commitment")).isOne();
  }

  @Test
  void an_invalidated_pin_does_not_sell_and_a_newer_one_does() {
    var hold = shop.hold("A-1");
    write(hold, 2);

    assertThat(ledger.confirm(shop.ask(hold).confirm())).isEqualTo(new Superseded());
    assertThat(count("token_result")).isZero();
    assertThat(ledger.confirm(shop.ask(Samples.pinned(hold, 3)).confirm()))
        .isInstanceOf(Confirmed.class);
  }

  @Test
  void nothing_is_sold_after_the_deadline() {
    var hold = shop.hold("A-1");
    var past = Instant.ofEpochMilli(System.currentTimeMillis() - 1);

    assertThat(
            ledger.confirm(
                shop.ask(hold).intent(new Pinned(hold, past, SalesFixture.EPOCH)).confirm()))
        .isEqualTo(new Late());
    assertThat(count("commitment")).isZero();
    assertThat(count("token_result")).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_HELD", "ELAPSED", "CLOSING", "STALE_FENCE", "NOT_KNOWN"})
  void a_refusal_of_redis_is_the_outcome_of_the_token(Reason why) {
    var ask = shop.ask(shop.hold("A-1")).intent(new PinResult.Refused(why));

    assertThat(ledger.confirm(ask.confirm())).isEqualTo(new Refused(why, false));
    assertThat(ledger.confirm(ask.confirm())).isEqualTo(new Refused(why, true));
  }

  @Test
  void a_hold_that_redis_does_not_have_is_decided_by_its_row() {
    var hold = shop.hold("A-1");
    var ask = shop.ask(hold).intent(new Absent());

    assertThat(ledger.confirm(ask.token("a").confirm()))
        .isEqualTo(new Refused(Reason.NOT_KNOWN, false));
    write(hold, 0);
    assertThat(ledger.confirm(ask.token("b").confirm())).isInstanceOf(NotDecided.class);
    shop.rows().change("UPDATE hold SET state = 'EXPIRED', end_reason = 'LOST', ended_at = now()");
    assertThat(ledger.confirm(ask.token("c").confirm()))
        .isEqualTo(new Refused(Reason.NOT_HELD, false));
  }

  @Test
  void without_redis_only_stored_outcomes_are_answered() {
    var ask = shop.ask(shop.hold("A-1"));
    var first = (Confirmed) ledger.confirm(ask.confirm());
    var away = ask.intent(new Away("no route"));

    assertThat(ledger.confirm(away.confirm())).isEqualTo(replay(first));
    assertThat(ledger.confirm(away.token("fresh").confirm())).isEqualTo(replay(first));
    assertThat(ledger.confirm(shop.ask(shop.hold("A-2")).intent(new Away("no route")).confirm()))
        .isEqualTo(new NotDecided("no route"));
  }

  private static Confirmed replay(Confirmed first) {
    return new Confirmed(first.hold(), List.of(), 0, true);
  }

  private void write(HoldRecord hold, long pinNo) {
    ledger
        .link()
        .transactions()
        .write(
            connection -> {
              try (var insert = connection.prepareStatement(HOLD)) {
                insert.setString(1, hold.id(ARENA).toString());
                insert.setString(2, hold.caller());
                insert.setString(3, hold.requester());
                insert.setString(4, hold.items().getFirst().value());
                insert.setLong(5, hold.fence().value());
                insert.setString(6, hold.salt());
                insert.setBytes(7, ArrayBinder.bytes(hold.token()));
                insert.setObject(8, hold.placedAt().atOffset(ZoneOffset.UTC));
                insert.setObject(9, hold.leaseUntil().atOffset(ZoneOffset.UTC));
                insert.setLong(10, hold.lease().toMillis());
                insert.setObject(11, hold.expiresAt().atOffset(ZoneOffset.UTC));
                insert.setLong(12, pinNo);
                return insert.executeUpdate();
              }
            });
  }

  private static String text(HoldRecord hold) {
    return "CONFIRMED\t" + hold.format();
  }

  private long count(String table) {
    return shop.rows().number("SELECT count(*) FROM " + table);
  }

  private List<String> texts(String sql) {
    return shop.rows().texts(sql);
  }
}
