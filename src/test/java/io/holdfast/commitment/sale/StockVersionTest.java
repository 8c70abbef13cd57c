package io.holdfast.commitment.sale;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.SalesFixture;
import io.holdfast.commitment.StockLevel;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.subject.DataSubject;
import io.holdfast.subject.SubjectKeys;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The statement of a sale is a compare-and-set on the version of the stock.
@ExtendWith(RealServers.class)
class StockVersionTest {
  private final TestServers servers;
  private SalesFixture shop;

  StockVersionTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = SalesFixture.open(servers);
    shop.rows().change("DELETE FROM stock");
    shop.rows()
        .change(
            "INSERT INTO stock (pool, capacity, sold, price_cents, version)"
                + " VALUES (?, 10, 4, 100, 7)",
            ARENA.value());
    createPersonKey();
  }

  @ParameterizedTest(name = "read version, {0}")
  @EnumSource
  void units_are_sold_at_the_version_that_was_read(Path path) throws Exception {
    sell(path, new StockLevel(7, 10, 4, 0), 2);

    assertThat(row()).isEqualTo("6 8");
  }

  /// There is room enough, and yet somebody has changed the stock since.
  @ParameterizedTest(name = "older version, {0}")
  @EnumSource
  @Requirement("BR-C-2")
  void nothing_is_sold_at_an_older_version(Path path) {
    assertNothingIsSold(() -> sell(path, new StockLevel(6, 10, 3, 0), 2));
  }

  /// The rules would let it pass: they were told a larger capacity.
  @ParameterizedTest(name = "beyond the capacity, {0}")
  @EnumSource
  @Requirement({"BR-C-2", "BR-C-3"})
  void nothing_is_sold_beyond_the_capacity(Path path) {
    assertNothingIsSold(() -> sell(path, new StockLevel(7, 20, 4, 0), 7));
  }

  private void assertNothingIsSold(ThrowingCallable sale) {
    assertThatThrownBy(sale)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getSQLState()).isEqualTo(SaleRows.ROW_COUNT_DIFFERS));

    assertThat(row()).isEqualTo("4 7");
    assertThat(shop.count("commitment")).isZero();
  }

  enum Path {
    OPTIMISTIC,
    CAREFUL
  }

  private void sell(Path path, StockLevel seen, int units) throws SQLException {
    var hold = shop.hold("A-1").withQuantity(units);
    var request = ofStock(shop.ask(hold).confirm());
    var facts = LockedFacts.assumed((Pinned) request.intent(), seen);
    var sold = hold.ended(HoldState.CONFIRMED, facts.now(), null);
    var sale = new DecidedRequest(request, facts, new ConfirmVerdict.Sell(sold, facts.items()));
    try (var connection = servers.connection()) {
      connection.setAutoCommit(false);
      var sales = List.of(sale);
      switch (path) {
        case OPTIMISTIC ->
            OptimisticSale.write(
                connection, sales, new SaleRows(), "artifact", Duration.ofSeconds(5));
        case CAREFUL -> CarefulSale.write(connection, sales, new SaleRows(), "artifact");
      }
    }
  }

  private static ConfirmRequest ofStock(ConfirmRequest request) {
    var policy = PoolPolicy.of(PoolKind.STOCK);
    return new ConfirmRequest(
        Pool.fresh(ARENA, PoolKind.STOCK, policy, 0, 10L, 100L),
        request.caller(),
        request.token(),
        request.digest(),
        request.hold(),
        request.requester(),
        request.fence(),
        request.orderId(),
        request.logicalKey(),
        request.quantity(),
        request.nonceHash(),
        request.attemptId(),
        request.intent());
  }

  /// The sales of this test skip the look that creates missing keys.
  private void createPersonKey() throws SQLException {
    try (var connection = servers.connection()) {
      SubjectKeys.findOrCreate(connection, Set.of(new DataSubject("shop", "anna")));
    }
  }

  /// Sold units and version.
  private String row() {
    return shop.rows().texts("SELECT sold || ' ' || version FROM stock").getFirst();
  }
}
