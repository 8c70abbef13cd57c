package io.holdfast.commitment;

import io.holdfast.pool.PoolName;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/// Reads how much each sale of a pool has left for its requester, for the limit per requester.
@Singleton
public final class SoldToRequesters {
  private static final String SALES =
      """
      SELECT caller, requester, fence, count(*) AS live
        FROM commitment
       WHERE pool = ? AND voided_at IS NULL
       GROUP BY caller, requester, fence
      """;

  private final Transactions transactions;

  SoldToRequesters(Transactions transactions) {
    this.transactions = transactions;
  }

  /// @param live its items or units that are not voided
  public record Sale(String caller, String requester, long fence, long live) {}

  public List<Sale> of(PoolName pool) {
    return transactions.read(
        connection -> {
          var sales = new ArrayList<Sale>();
          try (var run = StatementRun.of(connection, SALES)) {
            run.text(pool.value())
                .execute()
                .take(
                    row ->
                        sales.add(
                            new Sale(
                                row.getString("caller"),
                                row.getString("requester"),
                                row.getLong("fence"),
                                row.getLong("live"))));
          }
          return sales;
        });
  }
}
