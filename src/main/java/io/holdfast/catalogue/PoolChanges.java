package io.holdfast.catalogue;

import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Changes pools and their items in the transaction of the caller, who records what was changed.
@Singleton
public final class PoolChanges {
  private static final String LOCK = "SELECT 1 FROM pool WHERE pool = ? FOR UPDATE";

  /// The epoch rises with a change that Redis has to be loaded for. Sales that were pinned before
  /// are refused then, and the next use of the pool loads it.
  private static final String UPDATE =
      """
      UPDATE pool
         SET policy = ?::jsonb, item_count = ?, sales_from = ?, sales_until = ?, closed = ?,
             epoch = epoch + ?, version = version + 1, changed_at = clock_timestamp()
       WHERE pool = ?
      RETURNING version
      """;

  private static final String PRESENT =
      "SELECT item FROM item WHERE pool = ? AND item = ANY (?::text[]) ORDER BY ordinal LIMIT ?";

  private static final String MISSING =
      """
      SELECT wanted.item
        FROM unnest(?::text[]) WITH ORDINALITY AS wanted (item, position)
       WHERE NOT EXISTS (SELECT 1 FROM item WHERE pool = ? AND item.item = wanted.item)
       ORDER BY position
       LIMIT ?
      """;

  private static final String PRICE_OF_UNITS = "UPDATE stock SET price_cents = ? WHERE pool = ?";

  /// The price of an item wins over that of its section, and a later one of either over an earlier
  /// one. An item keeps the price at which it was sold or a checkout has claimed it. The pool is
  /// locked, so no other call changes the price that was read.
  private static final String PRICES =
      """
      WITH wanted AS (
        SELECT DISTINCT ON (item, section) item, section, price_cents
          FROM unnest(?::text[], ?::text[], ?::bigint[])
               WITH ORDINALITY AS given (item, section, price_cents, position)
         ORDER BY item, section, position DESC
      ), offered AS (
        SELECT item.item, item.price_cents AS price_before, wanted.price_cents, true AS is_own
          FROM wanted JOIN item ON item.pool = ? AND item.item = wanted.item
         UNION ALL
        SELECT item.item, item.price_cents, wanted.price_cents, false
          FROM wanted JOIN item ON item.pool = ? AND item.section = wanted.section
      ), chosen AS (
        SELECT DISTINCT ON (item) item, price_before, price_cents
          FROM offered
         ORDER BY item, is_own DESC
      )
      UPDATE item
         SET price_cents = chosen.price_cents
        FROM chosen
       WHERE item.pool = ? AND item.item = chosen.item
         AND item.status IN ('FREE', 'BLOCKED')
         AND item.price_cents <> chosen.price_cents
      RETURNING item.item, chosen.price_before, item.price_cents AS price_after
      """;

  private static final int NAMED_MAX = 100;

  private final Catalogue catalogue;
  private final PoolWriter writer;

  PoolChanges(Catalogue catalogue, PoolWriter writer) {
    this.catalogue = catalogue;
    this.writer = writer;
  }

  /// The pool as it is until the end of the transaction: sales and other changes of it wait.
  public Pool lock(Transaction transaction, PoolName pool) {
    try (var select = transaction.connection().prepareStatement(LOCK)) {
      select.setString(1, pool.value());
      select.executeQuery().close();
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
    return catalogue.find(pool).orElseThrow();
  }

  /// Writes the rules and the number of items, and returns the pool with its next version.
  ///
  /// @param isReloaded whether Redis has to be loaded again
  public Pool update(Transaction transaction, Pool changed, boolean isReloaded) {
    try (var update = transaction.connection().prepareStatement(UPDATE)) {
      var sales = changed.sales();
      update.setString(1, writer.policyJson(changed));
      update.setInt(2, changed.itemCount());
      update.setObject(3, utc(sales.from()), Types.TIMESTAMP_WITH_TIMEZONE);
      update.setObject(4, utc(sales.until()), Types.TIMESTAMP_WITH_TIMEZONE);
      update.setBoolean(5, sales.isClosed());
      update.setInt(6, isReloaded ? 1 : 0);
      update.setString(7, changed.name().value());
      try (var rows = update.executeQuery()) {
        rows.next();
        return changed.at(rows.getLong(1));
      }
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private static @Nullable OffsetDateTime utc(@Nullable Instant moment) {
    return moment == null ? null : moment.atOffset(ZoneOffset.UTC);
  }

  /// Those of the names that the pool has already, at most a hundred of them.
  public List<String> present(Transaction transaction, PoolName pool, List<String> names) {
    return names(
        transaction,
        PRESENT,
        run ->
            run.text(pool.value())
                .rows(names, columns -> columns.text(name -> name))
                .number(NAMED_MAX));
  }

  /// Those of the names that the pool has not, at most a hundred of them, in their order.
  public List<String> missing(Transaction transaction, PoolName pool, List<String> names) {
    return names(
        transaction,
        MISSING,
        run ->
            run.rows(names, columns -> columns.text(name -> name))
                .text(pool.value())
                .number(NAMED_MAX));
  }

  /// Adds items behind those that the pool has. Their names are new.
  ///
  /// @param pool as it was before
  public void add(Transaction transaction, Pool pool, List<CatalogueItem> items) {
    writer.add(transaction, pool, items);
  }

  public void priceUnits(Transaction transaction, PoolName pool, long cents) {
    names(transaction, PRICE_OF_UNITS, run -> run.number(cents).text(pool.value()));
  }

  /// A new price of an item, or of all items of a section.
  public record NewPrice(@Nullable String item, @Nullable String section, long cents) {}

  /// An item whose price has changed.
  public record Repriced(String item, long before, long after) {}

  public List<Repriced> price(Transaction transaction, PoolName pool, List<NewPrice> prices) {
    return rows(
        transaction,
        PRICES,
        run ->
            run.rows(
                    prices,
                    columns ->
                        columns
                            .text(NewPrice::item)
                            .text(NewPrice::section)
                            .number(NewPrice::cents))
                .text(pool.value())
                .text(pool.value())
                .text(pool.value()),
        row ->
            new Repriced(
                row.getString("item"), row.getLong("price_before"), row.getLong("price_after")));
  }

  private interface Binding {
    void bind(StatementRun run) throws SQLException;
  }

  private interface Reading<T> {
    T of(ResultSet row) throws SQLException;
  }

  private static List<String> names(Transaction transaction, String sql, Binding binding) {
    return rows(transaction, sql, binding, row -> row.getString(1));
  }

  private static <T> List<T> rows(
      Transaction transaction, String sql, Binding binding, Reading<T> reading) {
    var read = new ArrayList<T>();
    try (var run = StatementRun.of(transaction.connection(), sql)) {
      binding.bind(run);
      run.execute().take((ResultSet row) -> read.add(reading.of(row)));
      return read;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }
}
