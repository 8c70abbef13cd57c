package io.holdfast.waiting;

import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The admissions of waiting rooms. Whoever writes them has moved the committed sequence of the
/// pool in the same transaction.
@Singleton
final class AdmissionTable {
  /// All tickets of one run have the same time, and a later run never an earlier one, even if the
  /// clock was set back: admissions of a pool are written one run after the other. A pass ends with
  /// a whole second, because it is signed in seconds; it is at most a second longer, never shorter.
  /// A ticket that was admitted under another place stays as it is.
  private static final String INSERT =
      """
      INSERT INTO admission (pool, number, place, caller, requester, admitted_at, pass_until)
      SELECT pool, number, place, caller, requester, at,
             date_trunc('second', at) + (pass_s + 1) * interval '1 second'
        FROM (SELECT pool, pass_s,
                     greatest(clock_timestamp(), (SELECT max(admitted_at) FROM admission a
                                                   WHERE a.pool = asked.pool)) AS at
                FROM (VALUES (?::text, ?::bigint)) AS asked (pool, pass_s) OFFSET 0) AS admitted,
             (SELECT unnest(?::bigint[]) AS number, unnest(?::bigint[]) AS place,
                     unnest(?::text[]) AS caller, unnest(?::text[]) AS requester) AS given
       ORDER BY place
          ON CONFLICT ON CONSTRAINT admission_key DO NOTHING
      """;

  private static final String COMMITTED =
      """
      SELECT given.place
        FROM (SELECT unnest(?::bigint[]) AS number, unnest(?::bigint[]) AS place) AS given,
             (SELECT ?::text) AS asked (pool)
       WHERE EXISTS (SELECT 1 FROM admission a
                      WHERE a.pool = asked.pool AND a.number = given.number)
      """;

  private static final String PASSES =
      """
      SELECT number, pass_until, revoked_at FROM admission WHERE pool = ? AND number = ANY (?)
      """;

  /// The index on the time serves a stable bound only, which `clock_timestamp()` is not.
  private static final String RECENT =
      """
      SELECT clock_timestamp() AS now, count(a.pool) AS admissions,
             extract(epoch FROM min(a.admitted_at) - statement_timestamp()) * 1000 + window_ms
             AS rest_ms
        FROM (VALUES (?::text, ?::bigint)) AS asked (pool, window_ms)
        LEFT JOIN admission a
               ON a.pool = asked.pool
              AND a.admitted_at > statement_timestamp() - window_ms * interval '1 millisecond'
       GROUP BY asked.pool, window_ms
      """;

  private static final String PACE =
      """
      SELECT count(*) AS admissions,
             extract(epoch FROM clock_timestamp() - min(admitted_at)) * 1000 AS measured_ms
        FROM admission
       WHERE pool = ? AND admitted_at > statement_timestamp() - ? * interval '1 millisecond'
      """;

  private static final String REVOKE =
      """
      UPDATE admission SET revoked_at = date_trunc('milliseconds', clock_timestamp())
       WHERE pool = ? AND number = ? AND revoked_at IS NULL
      """;

  private static final String FIND =
      """
      SELECT caller, requester, pass_until, revoked_at FROM admission WHERE pool = ? AND number = ?
      """;

  /// Estimates count the admissions of this time.
  static final Duration MEASURED = Duration.ofMinutes(5);

  /// A shorter time tells too little: the first admissions come at once.
  private static final Duration MEASURED_MIN = Duration.ofMinutes(1);

  private final Transactions transactions;

  AdmissionTable(Transactions transactions) {
    this.transactions = transactions;
  }

  static void insert(
      Connection connection, PoolName pool, Duration pass, List<WaitingTicket> tickets)
      throws SQLException {
    try (var run = StatementRun.of(connection, INSERT)) {
      run.text(pool.value())
          .number(pass.toSeconds())
          .rows(
              tickets,
              columns ->
                  columns
                      .number(WaitingTicket::number)
                      .number(WaitingTicket::sequence)
                      .text(ticket -> ticket.record().caller())
                      .text(ticket -> ticket.record().requester()))
          .execute();
    }
  }

  /// Returns the places of those tickets that were admitted, under whatever place.
  static Set<Long> committed(Connection connection, PoolName pool, List<WaitingTicket> tickets)
      throws SQLException {
    var places = new HashSet<Long>();
    try (var run = StatementRun.of(connection, COMMITTED)) {
      run.rows(
              tickets,
              columns -> columns.number(WaitingTicket::number).number(WaitingTicket::sequence))
          .text(pool.value())
          .execute()
          .take(row -> places.add(row.getLong(1)));
    }
    return places;
  }

  record Pass(long number, Instant until, boolean isRevoked) {}

  List<Pass> passes(PoolName pool, List<WaitingTicket> tickets) {
    return transactions.read(
        connection -> {
          var passes = new ArrayList<Pass>();
          try (var run = StatementRun.of(connection, PASSES)) {
            run.text(pool.value())
                .numbers(tickets.stream().mapToLong(WaitingTicket::number).toArray())
                .execute()
                .take(
                    row ->
                        passes.add(
                            new Pass(
                                row.getLong("number"),
                                ArrayBinder.moment(row, "pass_until"),
                                row.getObject("revoked_at") != null)));
          }
          return passes;
        });
  }

  /// What limits admissions by time.
  ///
  /// @param now Postgres' clock
  /// @param admissions within the window that was asked for
  /// @param rest the time until the first of them is outside of the window; zero if there is none
  record Recent(Instant now, long admissions, Duration rest) {}

  Recent recent(PoolName pool, Duration window) {
    return transactions.read(
        connection -> {
          var recent = new ArrayList<Recent>();
          try (var run = StatementRun.of(connection, RECENT)) {
            run.text(pool.value())
                .number(window.toMillis())
                .execute()
                .take(
                    row ->
                        recent.add(
                            new Recent(
                                ArrayBinder.moment(row, "now"),
                                row.getLong("admissions"),
                                Duration.ofMillis(row.getLong("rest_ms")))));
          }
          return recent.getFirst();
        });
  }

  /// The measured time between two admissions; empty if nobody was admitted lately.
  Optional<Duration> pace(PoolName pool) {
    return transactions.read(
        connection -> {
          var paces = new ArrayList<Duration>();
          try (var run = StatementRun.of(connection, PACE)) {
            run.text(pool.value())
                .number(MEASURED.toMillis())
                .execute()
                .take(
                    row -> {
                      var admissions = row.getLong("admissions");
                      if (admissions > 0) {
                        paces.add(pace(admissions, row.getLong("measured_ms")));
                      }
                    });
          }
          return paces.stream().findFirst();
        });
  }

  private static Duration pace(long admissions, long ms) {
    return Duration.ofMillis(Math.max(1, Math.max(ms, MEASURED_MIN.toMillis()) / admissions));
  }

  /// Does nothing if the pass was revoked before.
  static void revoke(Connection connection, PoolName pool, long number) throws SQLException {
    try (var run = StatementRun.of(connection, REVOKE)) {
      run.text(pool.value()).number(number).execute();
    }
  }

  record Admission(String caller, String requester, Instant passUntil) {}

  Optional<Admission> find(PoolName pool, long number) {
    return transactions.read(
        connection -> {
          var found = new ArrayList<Admission>();
          try (var run = StatementRun.of(connection, FIND)) {
            run.text(pool.value())
                .number(number)
                .execute()
                .take(
                    row ->
                        found.add(
                            new Admission(
                                row.getString("caller"),
                                row.getString("requester"),
                                ArrayBinder.moment(row, "pass_until"))));
          }
          return found.stream().findFirst();
        });
  }
}
