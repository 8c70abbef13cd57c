package io.holdfast.commitment.sale;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.ArrayBinder;
import java.sql.SQLException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Binds what a hold was placed with. The journal may not have brought the hold to Postgres yet, so
/// every statement that ends or claims a hold can also insert its row.
public final class HoldColumns {
  private HoldColumns() {}

  /// Binds caller, requester, items, fence, salt, placing_token, placed_ms, lease_until_ms,
  /// lease_ms and expires_ms.
  ///
  /// @param hold null for a row that writes no hold
  public static <R> ArrayBinder<R> origin(
      ArrayBinder<R> columns, Function<R, @Nullable HoldRecord> hold) throws SQLException {
    return columns
        .text(row -> of(hold.apply(row), HoldRecord::caller))
        .text(row -> of(hold.apply(row), HoldRecord::requester))
        .text(row -> of(hold.apply(row), HoldColumns::items))
        .number(row -> of(hold.apply(row), held -> held.fence().value()))
        .text(row -> of(hold.apply(row), HoldRecord::salt))
        .bytes(row -> of(hold.apply(row), HoldRecord::token))
        .moment(row -> of(hold.apply(row), HoldRecord::placedAt))
        .moment(row -> of(hold.apply(row), HoldRecord::leaseUntil))
        .number(row -> of(hold.apply(row), held -> held.lease().toMillis()))
        .moment(row -> of(hold.apply(row), HoldRecord::expiresAt));
  }

  /// The statements split this at the line breaks, which no name of an item contains.
  private static String items(HoldRecord hold) {
    return hold.items().stream().map(ItemId::value).collect(Collectors.joining("\n"));
  }

  private static <T> @Nullable T of(@Nullable HoldRecord hold, Function<HoldRecord, T> value) {
    return hold == null ? null : value.apply(hold);
  }
}
