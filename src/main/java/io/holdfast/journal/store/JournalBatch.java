package io.holdfast.journal.store;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalLine.Call;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Inserts the journal lines of a batch.
final class JournalBatch {
  private static final String INSERT =
      """
      INSERT INTO journal (pool, recorded_at, stream_seq, epoch, happened_at, action, caller, token,
                           digest, window_ms, word, fence, hold_id, detail)
      SELECT ?, to_timestamp(stream_ms::float8 / 1000), stream_seq, epoch,
             to_timestamp(at_ms::float8 / 1000), action::token_action, caller, token, digest, window_ms, word,
             fence, hold_id, detail
        FROM (SELECT unnest(?::bigint[]) AS stream_ms, unnest(?::bigint[]) AS stream_seq,
                     unnest(?::bigint[]) AS epoch, unnest(?::bigint[]) AS at_ms,
                     unnest(?::text[]) AS action, unnest(?::text[]) AS caller,
                     unnest(?::bytea[]) AS token, unnest(?::text[]) AS digest,
                     unnest(?::bigint[]) AS window_ms, unnest(?::text[]) AS word,
                     unnest(?::bigint[]) AS fence, unnest(?::text[]) AS hold_id,
                     unnest(?::text[]) AS detail) AS line
      """;

  private JournalBatch() {}

  static void insert(Connection connection, PoolName pool, List<JournalLine> lines)
      throws SQLException {
    try (var insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, pool.value());
      new ArrayBinder<>(insert, 2, lines)
          .number(line -> line.id().ms())
          .number(line -> line.id().sequence())
          .number(line -> line.epoch().value())
          .moment(JournalLine::at)
          .text(ofCall(call -> call.action().word()))
          .text(ofCall(Call::caller))
          .bytes(ofCall(Call::token))
          .text(ofCall(Call::digest))
          .number(ofCall(call -> call.window().toMillis()))
          .text(JournalLine::word)
          .number(ofHold(hold -> hold.fence().value()))
          .text(ofHold(hold -> hold.id(pool).toString()))
          .text(JournalLine::detail);
      insert.executeUpdate();
    }
  }

  private static <T> Function<JournalLine, @Nullable T> ofCall(Function<Call, T> value) {
    return line -> line.call() == null ? null : value.apply(line.call());
  }

  private static <T> Function<JournalLine, @Nullable T> ofHold(Function<HoldRecord, T> value) {
    return line -> line.hold() == null ? null : value.apply(line.hold());
  }
}
