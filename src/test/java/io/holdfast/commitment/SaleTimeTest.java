package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Late;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// All rows of a sale have one time, by Postgres' clock.
@ExtendWith(RealServers.class)
class SaleTimeTest {
  private final TestServers servers;
  private SalesFixture shop;
  private TestLedger ledger;

  SaleTimeTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = SalesFixture.open(servers);
  }

  private void open(boolean isAssumed) {
    ledger = isAssumed ? TestLedger.on(servers.jdbcUrl()) : TestLedger.careful(servers.jdbcUrl());
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  @ParameterizedTest(name = "assumed: {0}")
  @ValueSource(booleans = {true, false})
  void the_time_of_a_sale_is_after_its_locks_and_not_before_its_hold_was_placed(boolean isAssumed) {
    open(isAssumed);
    var before = shop.rows().number("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)");
    var sold = (Confirmed) ledger.confirm(shop.ask(shop.hold("A-1")).confirm());
    var ahead = shop.holdPlacedAt(Instant.ofEpochMilli(before + 30_000), "A-2");

    var soldAhead = (Confirmed) ledger.confirm(shop.ask(ahead).confirm());

    assertThat(sold.hold().endedAt().toEpochMilli()).isBetween(before, before + 20_000);
    assertThat(soldAhead.hold().endedAt()).isEqualTo(ahead.placedAt());
    assertThat(
            shop.count(
                """
                hold h JOIN commitment c USING (pool, hold_id)
                  JOIN consumed_request q ON q.pool = h.pool AND q.target = h.hold_id
                 WHERE c.committed_at = h.ended_at AND q.consumed_at = h.ended_at
                """))
        .isEqualTo(2);
    for (var each : List.of(sold, soldAhead)) {
      assertThat(
              shop.count("token_result WHERE outcome = 'CONFIRMED\t" + each.hold().format() + "'"))
          .isOne();
    }
  }

  @ParameterizedTest(name = "assumed: {0}")
  @ValueSource(booleans = {true, false})
  void nothing_is_sold_after_a_wait_past_the_deadline(boolean isAssumed) throws Exception {
    open(isAssumed);
    var hold = shop.hold("A-1");
    ledger.confirm(shop.ask(shop.hold("A-2")).confirm()); // so that the next one is quick
    try (var other = servers.connection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("SELECT 1 FROM item WHERE item = 'A-1' FOR UPDATE");
      var deadline = Instant.ofEpochMilli(System.currentTimeMillis() + 150);
      var request = shop.ask(hold).intent(new Pinned(hold, deadline, SalesFixture.EPOCH)).confirm();

      var asked = ledger.ledger().confirm(request).toCompletableFuture();
      Await.until(
          Duration.ofSeconds(5), () -> System.currentTimeMillis() > deadline.toEpochMilli());
      other.rollback();

      assertThat(asked.get(10, TimeUnit.SECONDS)).isEqualTo(new Late());
    }
    assertThat(shop.rows().texts("SELECT status FROM item WHERE item = 'A-1'"))
        .containsExactly("FREE");
    assertThat(shop.count("commitment")).isOne();
  }
}
