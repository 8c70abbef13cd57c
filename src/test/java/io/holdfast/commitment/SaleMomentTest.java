package io.holdfast.commitment;

import static io.holdfast.commitment.Case.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// One time for all that a sale writes, by Postgres' own clock.
@ExtendWith(RealServers.class)
class SaleMomentTest {
  private final TestServers servers;
  private Shop shop;
  private TestLedger ledger;

  SaleMomentTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = Shop.open(servers);
  }

  private void open(boolean isAssumed) {
    ledger = isAssumed ? TestLedger.on(servers.jdbcUrl()) : TestLedger.thatLooks(servers.jdbcUrl());
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  @ParameterizedTest(name = "assumed: {0}")
  @ValueSource(booleans = {true, false})
  void a_sale_is_made_when_its_items_are_had_and_never_before_its_hold_was_placed(
      boolean isAssumed) {
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
              shop.count("token_result WHERE outcome = '" + CONFIRMED + each.hold().format() + "'"))
          .isOne();
    }
  }
}
