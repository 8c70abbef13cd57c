package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.testing.Await;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Runs the tests of `SaleTest` on the careful path.
class CarefulSaleTest extends SaleTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  CarefulSaleTest(TestServers servers) {
    super(servers);
  }

  /// While the locks and the lookup wait for the seat, their transaction has an id. The rows that
  /// are written later have the same.
  @Requirement("BR-C-6")
  @Test
  void the_lookup_of_the_key_belongs_to_the_transaction_that_writes() throws Exception {
    try (var other = servers.connection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("SELECT 1 FROM item WHERE item = 'A-1' FOR UPDATE");
      var request = shop.ask(shop.hold("A-1")).confirm();
      var sale = CompletableFuture.supplyAsync(() -> ledger.confirm(request));
      Await.until(PATIENCE, () -> waiting().size() == 1);
      var reader = waiting().getFirst();
      other.rollback();

      assertThat(sale.join()).isInstanceOf(CommitOutcome.Confirmed.class);
      assertThat(reader).as("of the locks and the lookup").isNotBlank();
      assertThat(shop.rows().texts("SELECT xmin::text FROM token_result")).containsExactly(reader);
      assertThat(shop.rows().texts("SELECT xmin::text FROM item WHERE item = 'A-1'"))
          .containsExactly(reader);
    }
  }

  /// The transactions that hold the lock of a token or of a key, and wait.
  private List<String> waiting() {
    return shop.rows()
        .texts(
            """
            SELECT DISTINCT coalesce(backend_xid::text, '')
              FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'
               AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)
            """);
  }

  @Override
  TestLedger ledger(String jdbcUrl) {
    return TestLedger.careful(jdbcUrl);
  }
}
