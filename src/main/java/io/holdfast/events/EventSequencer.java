package io.holdfast.events;

import io.holdfast.events.privacy.DataSubject;
import io.holdfast.events.privacy.PersonalDataEncryption;
import io.holdfast.events.privacy.SubjectKeys;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.ManyRows;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives events that are committed their numbers in the order of their pool, and seals their
/// personal parts. One transaction at a time does this, whoever runs it, and it sees all that was
/// committed before it began; so what was committed first has the lower number, there are no gaps,
/// and nobody waits for a transaction that is still open.
@Singleton
public final class EventSequencer {
  private static final Logger LOG = LoggerFactory.getLogger(EventSequencer.class);

  static final int BATCH = 1_000;

  /// So that lanes start while much is numbered.
  private static final int SOME = 5;

  /// What is more than that comes too late for a shredding, which can be repeated.
  private static final int BATCHES_MAX = 100;

  /// In the key space of two numbers, which nobody else uses. What waits here is few rows among
  /// many that are gone, and nobody has counted either: read by index, it costs as much as is
  /// there.
  private static final String LOCK =
      "SELECT pg_try_advisory_xact_lock(1702258030, 1), " + Plans.BY_INDEX;

  private static final String HEADS =
      """
      INSERT INTO event_head AS old (pool, seq)
      SELECT pool, count FROM unnest(?::text[], ?::bigint[]) AS given (pool, count)
       ORDER BY pool
          ON CONFLICT (pool) DO UPDATE SET seq = old.seq + EXCLUDED.seq
      RETURNING pool, seq
      """;

  private static final String STORE =
      ManyRows.text(
          """
          INSERT INTO event (pool, seq, id, type, subject, data, recorded_at)
          SELECT pool, seq, id, type, subject, data,
                 to_timestamp(0) + recorded_us * interval '1 microsecond'
            FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[],
                        ?::bigint[])
              AS given (pool, seq, id, type, subject, data, recorded_us)
          """);

  private static final String STORE_PERSONS =
      ManyRows.text(
          """
          INSERT INTO event_person (key_id, pool, seq, fields)
          SELECT key_id, pool, seq, string_to_array(fields, E'\\n')
            FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::text[])
              AS given (key_id, pool, seq, fields)
          """);

  private final Transactions transactions;
  private final SubjectKeys keys;
  private final SecureRandom random;

  EventSequencer(Transactions transactions, SubjectKeys keys, SecureRandom random) {
    this.transactions = transactions;
    this.keys = keys;
    this.random = random;
  }

  private record Numbered(
      UnnumberedEvents.Fresh event, long seq, PersonalDataEncryption.Sealed sealed) {}

  private record Part(Numbered event, long keyId, Set<String> fields) {}

  /// Numbers all that is committed, in a transaction of somebody who waits until nobody else does.
  public void all(Connection connection) throws SQLException {
    try (var wait = connection.prepareStatement(LOCK.replace("try_", ""))) {
      wait.execute();
    }
    for (var i = 0; i < BATCHES_MAX; i++) {
      var fresh = UnnumberedEvents.read(connection, BATCH);
      if (fresh.isEmpty()) {
        return;
      }
      number(connection, fresh);
    }
  }

  /// A few batches, so that whoever reads sees what was committed before.
  public int some() {
    var count = 0;
    var batch = BATCH;
    for (var i = 0; i < SOME && batch == BATCH; i++) {
      batch = run();
      count += batch;
    }
    return count;
  }

  /// Returns how many events were numbered; nothing if somebody else is at it.
  int run() {
    return transactions.write(
        connection -> {
          if (!isAlone(connection)) {
            connection.rollback();
            return 0;
          }
          var fresh = UnnumberedEvents.read(connection, BATCH);
          if (fresh.isEmpty()) {
            connection.rollback();
            return 0;
          }
          number(connection, fresh);
          return fresh.size();
        });
  }

  private void number(Connection connection, List<UnnumberedEvents.Fresh> all) throws SQLException {
    var fresh = all.stream().filter(UnnumberedEvents.Fresh::isTold).toList();
    if (fresh.size() < all.size()) {
      LOG.error("{} sales have no commitment, so they are not told", all.size() - fresh.size());
    }
    var next = next(connection, fresh);
    var persons =
        fresh.stream()
            .flatMap(e -> PersonalDataEncryption.persons(e.data()).stream())
            .collect(Collectors.toSet());
    var known = keys.ofAll(connection, persons);
    var numbered = new ArrayList<Numbered>();
    for (var event : fresh) {
      var seq = next.merge(event.pool(), 1L, Long::sum) - 1;
      numbered.add(new Numbered(event, seq, sealed(event, known)));
    }
    store(connection, numbered);
    delete(connection, all);
  }

  private PersonalDataEncryption.Sealed sealed(
      UnnumberedEvents.Fresh event, Map<DataSubject, SubjectKeys.Key> keys) {
    return event.row().isNote()
        ? PersonalDataEncryption.NOTHING
        : PersonalDataEncryption.close(event.row().id(), event.data(), keys, random);
  }

  private static void store(Connection connection, List<Numbered> numbered) throws SQLException {
    try (var insert = connection.prepareStatement(STORE)) {
      new Columns<>(connection, insert, 1, numbered)
          .text(each -> each.event.pool())
          .number(Numbered::seq)
          .number(each -> each.event.row().id())
          .text(each -> each.event.row().type())
          .text(each -> each.event.row().subject().holdId())
          .text(each -> each.sealed.data())
          .number(each -> each.event.row().recordedUs());
      insert.executeUpdate();
    }
    var parts = numbered.stream().flatMap(EventSequencer::parts).toList();
    if (parts.isEmpty()) {
      return;
    }
    try (var insert = connection.prepareStatement(STORE_PERSONS)) {
      new Columns<>(connection, insert, 1, parts)
          .number(Part::keyId)
          .text(part -> part.event.event.pool())
          .number(part -> part.event.seq)
          .text(part -> String.join("\n", part.fields));
      insert.executeUpdate();
    }
  }

  private static void delete(Connection connection, List<UnnumberedEvents.Fresh> all)
      throws SQLException {
    try (var delete = connection.prepareStatement("DELETE FROM event_fresh WHERE id = ANY (?)")) {
      var ids = all.stream().map(event -> event.row().id()).toArray();
      delete.setArray(1, connection.createArrayOf("bigint", ids));
      delete.executeUpdate();
    }
  }

  private static Stream<Part> parts(Numbered event) {
    return event.sealed.fields().entrySet().stream()
        .map(fields -> new Part(event, fields.getKey(), fields.getValue()));
  }

  private static boolean isAlone(Connection connection) throws SQLException {
    try (var select = connection.prepareStatement(LOCK);
        var row = select.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }

  /// The number of the first of these events, for each pool.
  private static Map<String, Long> next(Connection connection, List<UnnumberedEvents.Fresh> fresh)
      throws SQLException {
    var counts =
        fresh.stream()
            .collect(Collectors.groupingBy(UnnumberedEvents.Fresh::pool, Collectors.counting()));
    try (var upsert = connection.prepareStatement(HEADS)) {
      new Columns<>(connection, upsert, 1, List.copyOf(counts.entrySet()))
          .text(Map.Entry::getKey)
          .number(Map.Entry::getValue);
      var heads = new HashMap<String, Long>();
      try (var rows = upsert.executeQuery()) {
        while (rows.next()) {
          var pool = rows.getString("pool");
          heads.put(pool, rows.getLong("seq") - counts.get(pool) + 1);
        }
      }
      return heads;
    }
  }
}
