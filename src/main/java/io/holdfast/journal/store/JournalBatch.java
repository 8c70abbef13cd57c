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

/// Inserts the journal lines of a batch, without personal data, because these rows never change: a
/// pseudonym stands for the requester, and the metadata is left out. The row of the hold has both.
/// Refusals are counted, see `JournalRow`.
final class JournalBatch {
  private static final String INSERT =
      """
      INSERT INTO journal (pool, recorded_at, stream_seq, epoch, happened_at, action, caller, token,
                           digest, window_ms, word, fence, hold_id, detail, tokens, digests,
                           outcomes, after_ms)
      SELECT ?, to_timestamp(stream_ms::float8 / 1000), stream_seq, epoch,
             to_timestamp(at_ms::float8 / 1000), action::token_action, caller, token, digest, window_ms, word,
             fence, hold_id, detail, tokens::uuid[], digests::integer[], outcomes::integer[],
             after_ms::integer[]
        FROM (SELECT unnest(?::bigint[]) AS stream_ms, unnest(?::bigint[]) AS stream_seq,
                     unnest(?::bigint[]) AS epoch, unnest(?::bigint[]) AS at_ms,
                     unnest(?::text[]) AS action, unnest(?::text[]) AS caller,
                     unnest(?::bytea[]) AS token, unnest(?::text[]) AS digest,
                     unnest(?::bigint[]) AS window_ms, unnest(?::text[]) AS word,
                     unnest(?::bigint[]) AS fence, unnest(?::text[]) AS hold_id,
                     unnest(?::text[]) AS detail, unnest(?::text[]) AS tokens,
                     unnest(?::text[]) AS digests, unnest(?::text[]) AS outcomes,
                     unnest(?::text[]) AS after_ms) AS line
      """;

  private JournalBatch() {}

  static void insert(
      Connection connection, PoolName pool, List<JournalLine> lines, Pseudonyms pseudonyms)
      throws SQLException {
    try (var insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, pool.value());
      new ArrayBinder<>(insert, 2, JournalRow.of(lines))
          .number(row -> row.first().id().ms())
          .number(row -> row.first().id().sequence())
          .number(row -> row.first().epoch().value())
          .moment(row -> row.first().at())
          .text(ofCalls(call -> call.action().word()))
          .text(ofCalls(Call::caller))
          .bytes(row -> row.onlyCall() == null ? null : row.onlyCall().token())
          .text(row -> row.onlyCall() == null ? null : row.onlyCall().digest())
          .number(ofCalls(call -> call.window().toMillis()))
          .text(row -> row.first().word())
          .number(ofHold(hold -> hold.fence().value()))
          .text(ofHold(hold -> hold.id(pool).toString()))
          .text(row -> row.detail(pseudonyms))
          .text(JournalRow::tokens)
          .text(JournalRow::digests)
          .text(JournalRow::outcomes)
          .text(JournalRow::afterMs);
      insert.executeUpdate();
    }
  }

  private static <T> Function<JournalRow, @Nullable T> ofCalls(Function<Call, T> value) {
    return row -> row.first().call() == null ? null : value.apply(row.first().call());
  }

  private static <T> Function<JournalRow, @Nullable T> ofHold(Function<HoldRecord, T> value) {
    return row -> row.first().hold() == null ? null : value.apply(row.first().hold());
  }
}
