package io.holdfast.postgres;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Binds many rows to one statement, one array for each column to unnest. One statement for a batch
/// costs much less than one statement for each row.
public final class ArrayBinder<R> {
  private final PreparedStatement statement;
  private final List<R> rows;
  private int next;

  /// @param first the index of the first parameter that takes a column
  public ArrayBinder(PreparedStatement statement, int first, List<R> rows) {
    this.statement = statement;
    this.next = first;
    this.rows = rows;
  }

  /// A text in Postgres cannot contain NUL. A journal line that contains one must not block its
  /// journal, so NUL is replaced.
  public ArrayBinder<R> text(Function<R, @Nullable String> value) throws SQLException {
    var values = new String[rows.size()];
    for (var i = 0; i < values.length; i++) {
      values[i] = storable(value.apply(rows.get(i)));
    }
    return column("text", values);
  }

  public ArrayBinder<R> number(Function<R, @Nullable Long> value) throws SQLException {
    var values = new Long[rows.size()];
    for (var i = 0; i < values.length; i++) {
      values[i] = value.apply(rows.get(i));
    }
    return column("bigint", values);
  }

  public ArrayBinder<R> real(Function<R, @Nullable Double> value) throws SQLException {
    return column("float8", rows.stream().map(value).toArray(Double[]::new));
  }

  public ArrayBinder<R> flag(Function<R, Boolean> value) throws SQLException {
    return column("boolean", rows.stream().map(value).toArray(Boolean[]::new));
  }

  /// Binds times as milliseconds; the statement converts them to timestamps.
  public ArrayBinder<R> moment(Function<R, @Nullable Instant> value) throws SQLException {
    return number(row -> milliseconds(value.apply(row)));
  }

  /// Tokens: strings of one char a byte.
  public ArrayBinder<R> bytes(Function<R, @Nullable String> value) throws SQLException {
    var values = new byte[rows.size()][];
    for (var i = 0; i < values.length; i++) {
      values[i] = bytes(value.apply(rows.get(i)));
    }
    return column("bytea", values);
  }

  public static byte @Nullable [] bytes(@Nullable String token) {
    return token == null ? null : token.getBytes(StandardCharsets.ISO_8859_1);
  }

  public static String token(ResultSet row, String column) throws SQLException {
    return new String(row.getBytes(column), StandardCharsets.ISO_8859_1);
  }

  public static Instant moment(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  /// The index of the first parameter after the bound ones.
  public int next() {
    return next;
  }

  private ArrayBinder<R> column(String type, @Nullable Object[] values) throws SQLException {
    // creating arrays on the driver's connection is faster than through the proxy
    statement.setArray(next++, statement.getConnection().createArrayOf(type, values));
    return this;
  }

  private static @Nullable String storable(@Nullable String text) {
    return text == null || text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
  }

  private static @Nullable Long milliseconds(@Nullable Instant moment) {
    return moment == null ? null : moment.toEpochMilli();
  }
}
