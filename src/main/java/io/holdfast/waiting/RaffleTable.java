package io.holdfast.waiting;

import io.holdfast.commitment.EpochCheck;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import io.holdfast.waiting.Raffle.Place;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The raffles of waiting rooms and the places that they gave.
@Singleton
final class RaffleTable {
  private static final String CREATE =
      "INSERT INTO raffle (pool, seed) VALUES (?, ?) ON CONFLICT (pool) DO NOTHING";

  private static final String FIND =
      """
      SELECT seed, drawn_at, arranged_at, tickets, clock_timestamp() AS now
        FROM raffle WHERE pool = ?
      """;

  private static final String LOCK = "SELECT seed, drawn_at FROM raffle WHERE pool = ? FOR UPDATE";

  private static final String PARTICIPANTS =
      """
      SELECT number, place FROM ticket
       WHERE pool = ? AND state = 'WAITING'
         AND joined_at < to_timestamp(?::bigint::float8 / 1000)
      """;

  private static final String DEAL =
      """
      WITH given AS (
          SELECT unnest(?::bigint[]) AS number, unnest(?::bigint[]) AS place),
      dealt AS (
          INSERT INTO raffle_place (pool, number, place) SELECT ?, number, place FROM given)
      UPDATE ticket SET place = given.place FROM given
       WHERE ticket.pool = ? AND ticket.number = given.number
      """;

  private static final String DRAWN =
      """
      UPDATE raffle SET drawn_at = clock_timestamp(), last_number = ?, tickets = ? WHERE pool = ?
      """;

  private static final String ARRANGED =
      """
      UPDATE raffle SET arranged_at = clock_timestamp()
       WHERE pool = ? AND drawn_at IS NOT NULL AND arranged_at IS NULL
      """;

  private static final String PLACES =
      """
      SELECT number, place FROM raffle_place WHERE pool = ? AND number > ? ORDER BY number LIMIT ?
      """;

  private static final int CHUNK = 10_000;

  private final Transactions transactions;

  RaffleTable(Transactions transactions) {
    this.transactions = transactions;
  }

  /// @param now Postgres' clock
  record Row(
      byte[] seed,
      @Nullable Instant drawnAt,
      @Nullable Instant arrangedAt,
      long tickets,
      Instant now) {}

  /// Does nothing if the pool has a seed.
  void create(PoolName pool, byte[] seed) {
    transactions.write(
        connection -> {
          try (var insert = connection.prepareStatement(CREATE)) {
            insert.setString(1, pool.value());
            insert.setBytes(2, seed);
            return insert.executeUpdate();
          }
        });
  }

  Optional<Row> find(PoolName pool) {
    return transactions.read(
        connection -> {
          var found = new ArrayList<Row>();
          try (var run = StatementRun.of(connection, FIND)) {
            run.text(pool.value())
                .execute()
                .take(
                    row ->
                        found.add(
                            new Row(
                                row.getBytes("seed"),
                                moment(row, "drawn_at"),
                                moment(row, "arranged_at"),
                                row.getLong("tickets"),
                                ArrayBinder.moment(row, "now"))));
          }
          return found.stream().findFirst();
        });
  }

  /// Draws in one transaction. Returns the number of tickets, or nothing if the raffle was drawn
  /// before, or if the epoch has ended.
  Optional<Integer> draw(PoolName pool, Instant opensAt, Epoch epoch) {
    return transactions.write(
        connection -> {
          var seed = undrawnSeed(connection, pool);
          if (seed == null || !EpochCheck.isPresent(connection, pool, epoch)) {
            connection.rollback();
            return Optional.empty();
          }
          var dealt = Raffle.deal(seed, participants(connection, pool, opensAt));
          for (var start = 0; start < dealt.size(); start += CHUNK) {
            deal(connection, pool, dealt.subList(start, Math.min(dealt.size(), start + CHUNK)));
          }
          try (var run = StatementRun.of(connection, DRAWN)) {
            run.number(dealt.stream().mapToLong(Place::number).max().orElse(0))
                .number(dealt.size())
                .text(pool.value())
                .execute();
          }
          return Optional.of(dealt.size());
        });
  }

  private static byte @Nullable [] undrawnSeed(Connection connection, PoolName pool)
      throws SQLException {
    var seeds = new ArrayList<byte[]>();
    try (var run = StatementRun.of(connection, LOCK)) {
      run.text(pool.value())
          .execute()
          .take(
              row -> {
                if (row.getObject("drawn_at") == null) {
                  seeds.add(row.getBytes("seed"));
                }
              });
    }
    return seeds.isEmpty() ? null : seeds.getFirst();
  }

  private static List<Place> participants(Connection connection, PoolName pool, Instant opensAt)
      throws SQLException {
    var tickets = new ArrayList<Place>();
    try (var run = StatementRun.of(connection, PARTICIPANTS)) {
      run.text(pool.value()).number(opensAt.toEpochMilli()).execute();
      run.take(row -> tickets.add(place(row)));
    }
    return tickets;
  }

  private static void deal(Connection connection, PoolName pool, List<Place> places)
      throws SQLException {
    try (var run = StatementRun.of(connection, DEAL)) {
      run.rows(places, columns -> columns.number(Place::number).number(Place::place))
          .text(pool.value())
          .text(pool.value())
          .execute();
    }
  }

  /// Redis has the places.
  void setArranged(PoolName pool) {
    transactions.write(
        connection -> {
          try (var run = StatementRun.of(connection, ARRANGED)) {
            return run.text(pool.value()).execute().take(_ -> {});
          }
        });
  }

  /// @param after the last number of the previous page, or 0
  List<Place> places(PoolName pool, long after, int limit) {
    return transactions.read(
        connection -> {
          var places = new ArrayList<Place>();
          try (var run = StatementRun.of(connection, PLACES)) {
            run.text(pool.value()).number(after).number(limit).execute();
            run.take(row -> places.add(place(row)));
          }
          return places;
        });
  }

  private static Place place(ResultSet row) throws SQLException {
    return new Place(row.getLong("number"), row.getLong("place"));
  }

  private static @Nullable Instant moment(ResultSet row, String column) throws SQLException {
    return row.getObject(column) == null ? null : ArrayBinder.moment(row, column);
  }
}
