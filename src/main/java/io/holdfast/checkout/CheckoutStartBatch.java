package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRunWriter;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotencyStore.Answered;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BlockingBatcher;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Starts many checkouts in one transaction, if all of them can start: new tokens, right prices,
/// holds without another checkout. Otherwise nothing is written, and each is tried alone.
@Singleton
final class CheckoutStartBatch {
  private static final int BATCH_MAX = 64;

  /// Returns a row for each right price.
  private static final String PRICED =
      """
      SELECT 'priced' AS what
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS items,
                     unnest(?::bigint[]) AS cents) AS given
       WHERE given.cents =
             coalesce((SELECT price_cents * cardinality(string_to_array(given.items, E'\\n'))
                         FROM stock WHERE stock.pool = given.pool),
                      (SELECT sum(price_cents) FROM item
                        WHERE item.pool = given.pool
                          AND item.item = ANY (string_to_array(given.items, E'\\n'))),
                      0)
      """;

  private static final String PRICE =
      """
      SELECT coalesce((SELECT price_cents * cardinality(given.items)
                         FROM stock WHERE stock.pool = given.pool),
                      (SELECT sum(price_cents) FROM item
                        WHERE item.pool = given.pool AND item.item = ANY (given.items)),
                      0)
        FROM (SELECT ?::text AS pool, ?::text[] AS items) AS given
      """;

  private final Transactions transactions;
  private final CheckoutSettings settings;
  private final BlockingBatcher<Start, Optional<CheckoutRun>> batcher =
      new BlockingBatcher<>(
          "checkout-starts",
          BatchPolicy.oneAtATime(BATCH_MAX),
          this::startTogether,
          _ -> Optional.empty());

  CheckoutStartBatch(Transactions transactions, CheckoutSettings settings) {
    this.transactions = transactions;
    this.settings = settings;
  }

  /// @param items of which the price is checked
  record Start(Answered call, CheckoutRun run, List<ItemId> items) {}

  /// Returns the started run; empty if nothing was written.
  Optional<CheckoutRun> start(Start start) {
    return batcher.call(start);
  }

  private List<@Nullable Optional<CheckoutRun>> startTogether(List<Start> starts) {
    var runs = transactions.write(connection -> insertAll(connection, starts));
    return runs.isEmpty()
        ? starts.stream()
            .<@Nullable Optional<CheckoutRun>>map(_ -> Optional.<CheckoutRun>empty())
            .toList()
        : runs.stream().<@Nullable Optional<CheckoutRun>>map(Optional::of).toList();
  }

  /// Returns all runs, or none.
  private List<CheckoutRun> insertAll(Connection connection, List<Start> starts)
      throws SQLException {
    if (areTokensNew(connection, starts) && arePricesRight(connection, starts)) {
      var planned = starts.stream().map(Start::run).toList();
      var runs = CheckoutRunWriter.insert(connection, planned, settings.lease());
      if (runs.stream().allMatch(Objects::nonNull)) {
        return runs.stream().map(Objects::requireNonNull).toList();
      }
    }
    connection.rollback();
    return List.of();
  }

  private static boolean areTokensNew(Connection connection, List<Start> starts)
      throws SQLException {
    var calls = starts.stream().map(Start::call).toList();
    return IdempotencyStore.insertAnswered(connection, calls) == calls.size();
  }

  private static boolean arePricesRight(Connection connection, List<Start> starts)
      throws SQLException {
    try (var run = StatementRun.of(connection, PRICED)) {
      return run.rows(
                  starts,
                  columns ->
                      columns
                          .text(start -> start.run.id().pool().value())
                          .text(start -> items(start.items))
                          .number(start -> start.run.order().price().cents()))
              .execute()
              .take(_ -> {})
          == starts.size();
    }
  }

  private static String items(List<ItemId> items) {
    return items.stream().map(ItemId::value).collect(Collectors.joining("\n"));
  }

  /// The price of items in the catalogue.
  static long priceCents(Transaction tx, PoolName pool, List<ItemId> items) throws SQLException {
    try (var select = tx.connection().prepareStatement(PRICE)) {
      select.setString(1, pool.value());
      select.setArray(
          2, tx.connection().createArrayOf("text", items.stream().map(ItemId::value).toArray()));
      try (var rows = select.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }
}
