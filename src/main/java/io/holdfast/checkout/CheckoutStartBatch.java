package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRunInsert;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotencyStore.Answered;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.Several;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BlockingBatcher;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Checkouts that begin at the same time begin in one transaction, if all goes well with all of
/// them: tokens that nobody has used, prices that are right, holds without another checkout. If
/// not, each finds out alone what is wrong.
@Singleton
final class CheckoutStartBatch {
  private static final int BATCH_MAX = 64;

  /// Those whose price is right.
  private static final String PRICED =
      """
      SELECT 'priced' AS what
        FROM unnest(?::text[], ?::text[], ?::bigint[]) AS given (pool, items, cents)
       WHERE given.cents = (SELECT coalesce(sum(price_cents), 0) FROM item
                             WHERE item.pool = given.pool
                               AND item.item = ANY (string_to_array(given.items, E'\\n')))
      """;

  private final Transactions transactions;
  private final CheckoutSettings settings;
  private final BlockingBatcher<Beginning, Optional<CheckoutRun>> batcher =
      new BlockingBatcher<>(
          "checkout-starts",
          BatchPolicy.oneAtATime(BATCH_MAX),
          this::together,
          _ -> Optional.empty());

  CheckoutStartBatch(Transactions transactions, CheckoutSettings settings) {
    this.transactions = transactions;
    this.settings = settings;
  }

  /// @param items what the price is for
  record Beginning(Answered call, CheckoutRun run, List<ItemId> items) {}

  /// The run as it has begun; empty if nothing was written.
  Optional<CheckoutRun> begin(Beginning beginning) {
    return batcher.call(beginning);
  }

  private List<@Nullable Optional<CheckoutRun>> together(List<Beginning> all) {
    var begun = transactions.write(connection -> together(connection, all));
    return begun.stream().<@Nullable Optional<CheckoutRun>>map(Optional::ofNullable).toList();
  }

  private List<@Nullable CheckoutRun> together(Connection connection, List<Beginning> all)
      throws SQLException {
    var isClear =
        new Several(connection)
            .add(
                IdempotencyStore.INSERT_ANSWERED,
                all.stream().map(Beginning::call).toList(),
                IdempotencyStore::bind)
            .add(PRICED, all, CheckoutStartBatch::bind)
            .isDone();
    var runs = all.stream().map(Beginning::run).toList();
    var begun =
        isClear
            ? CheckoutRunInsert.insert(connection, runs, settings.lease())
            : Collections.<@Nullable CheckoutRun>nCopies(all.size(), null);
    if (begun.stream().anyMatch(Objects::isNull)) {
      connection.rollback();
      return Collections.nCopies(all.size(), null);
    }
    return begun;
  }

  private static int bind(Columns.Slots slots, List<Beginning> all) throws SQLException {
    return slots
        .of(all)
        .text(each -> each.run.id().pool().value())
        .text(each -> each.items.stream().map(ItemId::value).collect(Collectors.joining("\n")))
        .number(each -> each.run.order().price().cents())
        .next();
  }
}
