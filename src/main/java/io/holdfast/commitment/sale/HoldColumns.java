package io.holdfast.commitment.sale;

import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.subject.DataSubject;
import io.holdfast.subject.SubjectKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Binds what a hold was placed with. The journal may not have brought the hold to Postgres yet, so
/// every statement that ends or claims a hold can also insert its row.
public final class HoldColumns {
  private HoldColumns() {}

  /// Binds caller, requester, person_hash, items, quantity, metadata, fence, salt, placing_token,
  /// placed_ms, lease_until_ms, lease_ms and expires_ms. The statements split the items at the line
  /// breaks, which no name of an item contains.
  ///
  /// @param hold null for a row that writes no hold
  public static <R> ArrayBinder<R> origin(
      ArrayBinder<R> columns, Function<R, @Nullable HoldRecord> hold) throws SQLException {
    return columns
        .text(row -> of(hold.apply(row), HoldRecord::caller))
        .text(row -> of(hold.apply(row), HoldRecord::requester))
        .bytes(row -> of(hold.apply(row), HoldColumns::personHash))
        .text(row -> of(hold.apply(row), HoldRecord::itemLines))
        .number(row -> of(hold.apply(row), HoldColumns::quantity))
        .text(row -> of(hold.apply(row), HoldRecord::metadata))
        .number(row -> of(hold.apply(row), held -> held.fence().value()))
        .text(row -> of(hold.apply(row), HoldRecord::salt))
        .bytes(row -> of(hold.apply(row), HoldRecord::token))
        .moment(row -> of(hold.apply(row), HoldRecord::placedAt))
        .moment(row -> of(hold.apply(row), HoldRecord::leaseUntil))
        .number(row -> of(hold.apply(row), held -> held.lease().toMillis()))
        .moment(row -> of(hold.apply(row), HoldRecord::expiresAt));
  }

  /// Finds the key of the person that the hold is for.
  static DataSubject person(HoldRecord hold) {
    return new DataSubject(hold.caller(), hold.requester());
  }

  /// Creates and locks the key of that person, for statements that insert a row of the hold.
  public static void lockPerson(Connection connection, HoldRecord hold) throws SQLException {
    SubjectKeys.findOrCreate(connection, Set.of(person(hold)));
  }

  private static String personHash(HoldRecord hold) {
    return person(hold).hashText();
  }

  private static @Nullable Long quantity(HoldRecord hold) {
    return hold.quantity() == null ? null : hold.quantity().longValue();
  }

  private static <T> @Nullable T of(
      @Nullable HoldRecord hold, Function<HoldRecord, @Nullable T> value) {
    return hold == null ? null : value.apply(hold);
  }
}
