package io.holdfast.waiting;

import io.holdfast.pool.PoolName;
import io.holdfast.pool.TicketRecord;
import io.holdfast.pool.TicketRecord.State;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads the tickets that the journal has stored in Postgres, with their admissions.
@Singleton
final class TicketTable {
  /// An admission may be here before its ticket, and tells who was admitted.
  private static final String FIND =
      """
      SELECT coalesce(t.state::text, 'WAITING') AS state, asked.number,
             coalesce(a.place, t.place) AS place, coalesce(t.caller, a.caller) AS caller,
             coalesce(t.requester, a.requester) AS requester, coalesce(t.seal, '') AS seal,
             coalesce(t.joined_at, a.admitted_at) AS joined_at, t.ended_at, t.requeued,
             a.pass_until, a.revoked_at, clock_timestamp() AS now
        FROM (VALUES (?::text, ?::bigint)) AS asked (pool, number)
        LEFT JOIN ticket t ON t.pool = asked.pool AND t.number = asked.number
        LEFT JOIN admission a ON a.pool = asked.pool AND a.number = asked.number
       WHERE t.number IS NOT NULL OR a.number IS NOT NULL
      """;

  private static final String WAITING =
      """
      SELECT state, number, place, caller, requester, seal, joined_at, ended_at, requeued,
             NULL::timestamptz AS pass_until
        FROM ticket t
       WHERE pool = ? AND place > ? AND state = 'WAITING'
         AND NOT EXISTS (SELECT 1 FROM admission a WHERE a.pool = t.pool AND a.number = t.number)
       ORDER BY place
       LIMIT ?
      """;

  /// Passes that are valid by their time. A hold of the requester since the admission means that
  /// the requester does not choose any more.
  private static final String ADMITTED =
      """
      SELECT coalesce(t.state::text, 'WAITING') AS state, a.number, a.place, a.caller, a.requester,
             coalesce(t.seal, '') AS seal, coalesce(t.joined_at, a.admitted_at) AS joined_at,
             t.ended_at, coalesce(t.requeued, false) AS requeued, a.pass_until, a.revoked_at,
             (SELECT max(CASE h.state WHEN 'CONFIRMED' THEN 2 WHEN 'HELD' THEN 1 ELSE 0 END)
                FROM hold h
               WHERE h.caller = a.caller AND h.requester = a.requester AND h.pool = a.pool
                 AND h.placed_at >= a.admitted_at) AS hold
        FROM admission a LEFT JOIN ticket t ON t.pool = a.pool AND t.number = a.number
       WHERE a.pool = ? AND a.number > ? AND a.pass_until > clock_timestamp()
       ORDER BY a.number
       LIMIT ?
      """;

  private final Transactions transactions;

  TicketTable(Transactions transactions) {
    this.transactions = transactions;
  }

  /// A ticket in Postgres.
  ///
  /// @param isValid whether its pass is valid now
  record Found(TicketRecord ticket, boolean isValid) {}

  Optional<Found> find(PoolName pool, long number) {
    return transactions.read(
        connection -> {
          var found = new ArrayList<Found>();
          try (var run = StatementRun.of(connection, FIND)) {
            run.text(pool.value())
                .number(number)
                .execute()
                .take(
                    row -> {
                      var ticket = admitted(row);
                      var isValid =
                          ticket.passUntil() != null
                              && row.getObject("revoked_at") == null
                              && ticket.passUntil().isAfter(ArrayBinder.moment(row, "now"));
                      found.add(new Found(ticket, isValid));
                    });
          }
          return found.stream().findFirst();
        });
  }

  /// Tickets that wait, in the order of their places.
  ///
  /// @param after the last place of the previous page, or 0
  List<TicketRecord> waiting(PoolName pool, long after, int limit) {
    return transactions.read(
        connection -> {
          var tickets = new ArrayList<TicketRecord>();
          try (var run = StatementRun.of(connection, WAITING)) {
            run.text(pool.value()).number(after).number(limit).execute();
            run.take(row -> tickets.add(ticket(row, State.valueOf(row.getString("state")))));
          }
          return tickets;
        });
  }

  /// @param kind as `waiting/restore` takes it
  record Admitted(TicketRecord ticket, String kind) {}

  /// @param after the last number of the previous page, or 0
  List<Admitted> admitted(PoolName pool, long after, int limit) {
    return transactions.read(
        connection -> {
          var tickets = new ArrayList<Admitted>();
          try (var run = StatementRun.of(connection, ADMITTED)) {
            run.text(pool.value()).number(after).number(limit).execute();
            run.take(row -> tickets.add(new Admitted(admitted(row), kind(row))));
          }
          return tickets;
        });
  }

  private static String kind(ResultSet row) throws SQLException {
    if (row.getObject("revoked_at") != null || !row.getString("state").equals("WAITING")) {
      return "REVOKED";
    }
    return switch (row.getInt("hold")) {
      case 2 -> "BOUGHT";
      case 1 -> "INSIDE";
      default -> "CHOOSING";
    };
  }

  private static TicketRecord admitted(ResultSet row) throws SQLException {
    var state = State.valueOf(row.getString("state"));
    var isAdmitted = state == State.WAITING && row.getObject("pass_until") != null;
    return ticket(row, isAdmitted ? State.ADMITTED : state);
  }

  private static TicketRecord ticket(ResultSet row, State state) throws SQLException {
    return new TicketRecord(
        state,
        row.getLong("number"),
        row.getLong("place"),
        row.getString("caller"),
        row.getString("requester"),
        row.getString("seal"),
        ArrayBinder.moment(row, "joined_at"),
        row.getObject("ended_at") == null ? null : ArrayBinder.moment(row, "ended_at"),
        row.getBoolean("requeued"),
        row.getObject("pass_until") == null ? null : ArrayBinder.moment(row, "pass_until"));
  }
}
