package io.holdfast.journal.store;

import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome.Requeued;
import io.holdfast.pool.TicketRecord;
import io.holdfast.pool.TicketRecord.State;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/// Stores the tickets of a batch of journal lines, each in its last state. A ticket ends once. Its
/// place changes only when it is requeued: a raffle gives places in Postgres first.
final class TicketBatch {
  private static final String UPSERT =
      """
      INSERT INTO ticket AS old (pool, number, place, caller, requester, seal, joined_at, state,
                                 ended_at, requeued)
      SELECT ?, number, place, caller, requester, seal, to_timestamp(joined_ms::float8 / 1000),
             state::ticket_state,
             to_timestamp(greatest(ended_ms, CASE WHEN state <> 'WAITING' THEN joined_ms END)::float8
                          / 1000),
             is_requeued = 1
        FROM (SELECT unnest(?::bigint[]) AS number, unnest(?::bigint[]) AS place,
                     unnest(?::text[]) AS caller, unnest(?::text[]) AS requester,
                     unnest(?::text[]) AS seal, unnest(?::bigint[]) AS joined_ms,
                     unnest(?::text[]) AS state, unnest(?::bigint[]) AS ended_ms,
                     unnest(?::bigint[]) AS is_requeued) AS given
          ON CONFLICT (pool, number) DO UPDATE
             SET state = EXCLUDED.state, ended_at = EXCLUDED.ended_at,
                 requeued = old.requeued OR EXCLUDED.requeued,
                 place = CASE WHEN old.number = ANY (?) THEN EXCLUDED.place ELSE old.place END
           WHERE old.state = 'WAITING'
      """;

  private TicketBatch() {}

  static void upsert(Connection connection, PoolName pool, List<JournalLine> lines)
      throws SQLException {
    var last = new TreeMap<Long, TicketRecord>();
    var requeued = new TreeSet<Long>();
    for (var line : lines) {
      var ticket = line.ticket();
      if (ticket != null) {
        last.put(ticket.number(), ticket);
      }
      if (line.outcome() instanceof Requeued(var behind)) {
        requeued.add(behind.number());
      }
    }
    if (last.isEmpty()) {
      return;
    }
    try (var run = StatementRun.of(connection, UPSERT)) {
      run.text(pool.value())
          .rows(
              List.copyOf(last.values()),
              columns ->
                  columns
                      .number(TicketRecord::number)
                      .number(TicketRecord::place)
                      .text(TicketRecord::caller)
                      .text(TicketRecord::requester)
                      .text(TicketRecord::seal)
                      .moment(TicketRecord::joinedAt)
                      .text(ticket -> state(ticket).name())
                      .moment(TicketRecord::endedAt)
                      .number(ticket -> ticket.isRequeued() ? 1L : 0L))
          .numbers(requeued.stream().mapToLong(Long::longValue).toArray())
          .execute();
    }
  }

  /// An admission is a row of its own.
  private static State state(TicketRecord ticket) {
    return ticket.state() == State.ADMITTED ? State.WAITING : ticket.state();
  }
}
