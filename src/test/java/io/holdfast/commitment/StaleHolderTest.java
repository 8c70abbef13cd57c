package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A stale holder does not sell, and the unique index alone prevents a second buyer of a seat.
@ExtendWith(RealServers.class)
class StaleHolderTest {
  private final TestServers servers;
  private SalesFixture shop;
  private TestLedger ledger;

  StaleHolderTest(TestServers servers) {
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

  @Requirement({"BR-F-2", "BR-F-4", "BR-F-5", "BR-X-5"})
  @Test
  void a_voided_seat_is_not_sold_at_a_lower_fence() {
    var older = shop.hold("A-1");
    var newer = shop.hold("A-1");
    ledger.confirm(shop.ask(newer).confirm());
    shop.rows().change("UPDATE commitment SET voided_at = clock_timestamp()");
    shop.rows().change("UPDATE item SET status = 'FREE', holder = NULL WHERE item = 'A-1'");

    assertThat(ledger.confirm(shop.ask(older).confirm()))
        .isEqualTo(new Refused(Reason.STALE_FENCE, false));

    assertThat(ledger.confirm(shop.ask(shop.hold("A-1")).confirm())).isInstanceOf(Confirmed.class);
  }

  /// The transaction ids of Postgres grow with every writer, like the revisions of etcd. The ledger
  /// needs nothing of a fence but that a later holder has a higher one: whoever makes the `Fence`
  /// values can replace Redis as their issuer. The service itself has no other issuer to choose.
  @Requirement({"BR-F-5", "BR-F-7"})
  @Test
  void the_revisions_of_another_store_can_serve_as_fences() {
    var paused = shop.holdAt(revision(), "A-1");
    var holds = Together.run(8, _ -> shop.holdAt(revision(), "A-1"));

    var ends = Together.run(8, i -> ledger.confirm(shop.ask(holds.get(i)).confirm()));

    var winner =
        IntStream.range(0, 8).filter(i -> ends.get(i) instanceof Confirmed).mapToObj(holds::get);
    assertThat(winner).as(ends.toString()).hasSize(1);
    shop.rows().change("UPDATE commitment SET voided_at = clock_timestamp()");
    shop.rows().change("UPDATE item SET status = 'FREE', holder = NULL WHERE item = 'A-1'");
    assertThat(ledger.confirm(shop.ask(paused).confirm()))
        .isEqualTo(new Refused(Reason.STALE_FENCE, false));
    var next = shop.holdAt(revision(), "A-1");
    assertThat(ledger.confirm(shop.ask(next).confirm())).isInstanceOf(Confirmed.class);
    assertThat(shop.rows().texts("SELECT fence FROM item WHERE item = 'A-1'"))
        .containsExactly(next.fence().toString());
  }

  private Fence revision() {
    return new Fence(shop.rows().number("SELECT pg_current_xact_id()"));
  }

  @Requirement({"BR-F-6", "BR-L-5"})
  @Test
  void a_pin_of_another_epoch_does_not_sell() {
    var hold = shop.hold("A-1");
    var deadline = Instant.ofEpochMilli(System.currentTimeMillis() + 60_000);
    var pinned = new Pinned(hold, deadline, new Epoch(2));

    assertThat(ledger.confirm(shop.ask(hold).intent(pinned).confirm())).isEqualTo(new Superseded());

    assertThat(shop.count("commitment")).isZero();
  }

  /// The ablation of the index, in plain SQL: with it the second row is refused, without it not.
  @Requirement({"BR-T-12", "IR-GA-6"})
  @Test
  void the_unique_index_alone_refuses_a_second_live_commitment_of_a_seat() throws SQLException {
    ledger.confirm(shop.ask(shop.hold("A-1")).confirm());

    assertThatThrownBy(() -> sellAgain(""))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("commitment_one_live_per_item");
    assertThat(sellAgain("DROP INDEX commitment_one_live_per_item")).isOne();
  }

  /// Leaves nothing behind.
  private int sellAgain(String before) throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(before);
      return soldAgain(connection);
    }
  }

  private static int soldAgain(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      return statement.executeUpdate(
          """
          INSERT INTO commitment
          SELECT pool, item, hold_id, fence + 1, caller, requester, order_id, logical_key,
                 price_cents, currency, committed_at, voided_at
            FROM commitment
          """);
    } finally {
      connection.rollback();
    }
  }
}
