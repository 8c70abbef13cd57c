package io.holdfast.events;

import io.holdfast.events.privacy.PersonalDataEncryption;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.Transactions;
import io.holdfast.subject.DataSubject;
import io.holdfast.subject.SubjectKeys;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Numbers committed events per pool and encrypts their personal data. An advisory lock lets one
/// transaction do this at a time, and that transaction sees every event committed before it began.
/// So numbers follow the order of commits, have no gaps, and an open transaction delays nobody.
@Singleton
public final class EventSequencer {
  private static final Logger LOG = LoggerFactory.getLogger(EventSequencer.class);

  static final int BATCH = 1_000;

  /// Bounds one call of `numberCommitted`, so that deliveries start while many events wait.
  private static final int BATCHES_A_CALL = 5;

  /// Bounds a shredding. Events beyond it are not shredded; the shredding can be repeated.
  private static final int BATCHES_MAX = 100;

  /// The only advisory lock with a two-part key. `event_fresh` has few live rows among many dead
  /// ones and no statistics; read by index, it costs as much as it has live rows.
  private static final String TRY_LOCK =
      "SELECT pg_try_advisory_xact_lock(1702258030, 1), " + Plans.BY_INDEX;

  private static final String WAIT_FOR_LOCK =
      "SELECT pg_advisory_xact_lock(1702258030, 1), " + Plans.BY_INDEX;

  private static final String UNNUMBERED =
      "SELECT id, pool, type, subject, data, recorded_at FROM event_fresh ORDER BY id LIMIT ?";

  private static final String HEADS =
      """
      INSERT INTO event_head AS old (pool, seq)
      SELECT pool, count FROM (SELECT unnest(?::text[]) AS pool, unnest(?::bigint[]) AS count) AS given
       ORDER BY pool
          ON CONFLICT (pool) DO UPDATE SET seq = old.seq + EXCLUDED.seq
      RETURNING pool, seq
      """;

  private static final String STORE =
      """
      INSERT INTO event (pool, seq, id, type, subject, data, recorded_at)
      SELECT pool, seq, id, type, subject, data,
             to_timestamp(0) + recorded_us * interval '1 microsecond'
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::bigint[]) AS seq,
                     unnest(?::bigint[]) AS id, unnest(?::text[]) AS type,
                     unnest(?::text[]) AS subject, unnest(?::text[]) AS data,
                     unnest(?::bigint[]) AS recorded_us) AS given
      """;

  private static final String STORE_PERSONS =
      """
      INSERT INTO event_person (key_id, pool, seq, fields)
      SELECT key_id, pool, seq, string_to_array(fields, E'\\n')
        FROM (SELECT unnest(?::bigint[]) AS key_id, unnest(?::text[]) AS pool,
                     unnest(?::bigint[]) AS seq, unnest(?::text[]) AS fields) AS given
      """;

  private final Transactions transactions;
  private final SecureRandom random;

  EventSequencer(Transactions transactions, SecureRandom random) {
    this.transactions = transactions;
    this.random = random;
  }

  /// Runs a few batches, so that events committed before the call can be read after it. Returns the
  /// number of events.
  public int numberCommitted() {
    var count = 0;
    var batch = BATCH;
    for (var i = 0; i < BATCHES_A_CALL && batch == BATCH; i++) {
      batch = numberBatch();
      count += batch;
    }
    return count;
  }

  /// Returns 0 without waiting if another transaction is numbering.
  private int numberBatch() {
    return transactions.write(
        connection -> {
          var batch = tryLock(connection) ? unnumbered(connection) : List.<Unnumbered>of();
          if (batch.isEmpty()) {
            connection.rollback();
          } else {
            number(connection, batch);
          }
          return batch.size();
        });
  }

  /// Waits for the lock and numbers all committed events in the caller's transaction.
  public void numberAll(Connection connection) throws SQLException {
    try (var wait = connection.prepareStatement(WAIT_FOR_LOCK)) {
      wait.execute();
    }
    for (var i = 0; i < BATCHES_MAX; i++) {
      var batch = unnumbered(connection);
      if (batch.isEmpty()) {
        return;
      }
      number(connection, batch);
    }
  }

  private static boolean tryLock(Connection connection) throws SQLException {
    try (var select = connection.prepareStatement(TRY_LOCK);
        var row = select.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }

  /// @param data null for a sale, whose data `SaleEventReader` builds whenever the event is read
  private record Unnumbered(
      long id,
      SaleEventReader.Subject subject,
      String type,
      @Nullable Map<String, @Nullable Object> data,
      long recordedUs) {
    String pool() {
      return subject.pool();
    }

    boolean isSale() {
      return data == null;
    }
  }

  /// The oldest committed events without a number.
  private static List<Unnumbered> unnumbered(Connection connection) throws SQLException {
    try (var select = connection.prepareStatement(UNNUMBERED)) {
      select.setInt(1, BATCH);
      var events = new ArrayList<Unnumbered>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          var data = rows.getString("data");
          events.add(
              new Unnumbered(
                  rows.getLong("id"),
                  new SaleEventReader.Subject(rows.getString("pool"), rows.getString("subject")),
                  rows.getString("type"),
                  data.isEmpty() ? null : EventJson.read(data),
                  ChronoUnit.MICROS.between(
                      Instant.EPOCH, ArrayBinder.moment(rows, "recorded_at"))));
        }
      }
      return events;
    }
  }

  private record Numbered(Unnumbered event, long seq, PersonalDataEncryption.Encrypted encrypted) {}

  private void number(Connection connection, List<Unnumbered> batch) throws SQLException {
    var events = withoutIncompleteSales(connection, batch);
    var nextSeq = raiseHeads(connection, events);
    var personKeys = keysOfPersons(connection, events);
    var numbered = new ArrayList<Numbered>();
    for (var event : events) {
      var seq = nextSeq.merge(event.pool(), 1L, Long::sum) - 1;
      numbered.add(new Numbered(event, seq, encrypt(event, personKeys)));
    }
    insertEvents(connection, numbered);
    insertPersons(connection, numbered);
    deleteUnnumbered(connection, batch);
  }

  /// A sale event without a commitment is dropped.
  private static List<Unnumbered> withoutIncompleteSales(
      Connection connection, List<Unnumbered> batch) throws SQLException {
    var sales = batch.stream().filter(Unnumbered::isSale).map(Unnumbered::subject).toList();
    var committed = SaleEventReader.committed(connection, sales);
    var events =
        batch.stream()
            .filter(event -> !event.isSale() || committed.contains(event.subject))
            .toList();
    if (events.size() < batch.size()) {
      LOG.error(
          "{} sales have no commitment; their events are dropped", batch.size() - events.size());
    }
    return events;
  }

  /// Reserves the numbers. Returns the first one for each pool.
  private static Map<String, Long> raiseHeads(Connection connection, List<Unnumbered> events)
      throws SQLException {
    var counts =
        events.stream().collect(Collectors.groupingBy(Unnumbered::pool, Collectors.counting()));
    try (var upsert = connection.prepareStatement(HEADS)) {
      new ArrayBinder<>(upsert, 1, List.copyOf(counts.entrySet()))
          .text(Map.Entry::getKey)
          .number(Map.Entry::getValue);
      var first = new HashMap<String, Long>();
      try (var rows = upsert.executeQuery()) {
        while (rows.next()) {
          var pool = rows.getString("pool");
          first.put(pool, rows.getLong("seq") - counts.get(pool) + 1);
        }
      }
      return first;
    }
  }

  private Map<DataSubject, SubjectKeys.Key> keysOfPersons(
      Connection connection, List<Unnumbered> events) throws SQLException {
    var persons =
        events.stream()
            .filter(event -> !event.isSale())
            .flatMap(event -> PersonalDataEncryption.persons(event.data).stream())
            .collect(Collectors.toSet());
    return SubjectKeys.findOrCreate(connection, persons);
  }

  private PersonalDataEncryption.Encrypted encrypt(
      Unnumbered event, Map<DataSubject, SubjectKeys.Key> personKeys) {
    return event.isSale()
        ? PersonalDataEncryption.NOTHING
        : PersonalDataEncryption.encrypt(event.id, event.data, personKeys, random);
  }

  private static void insertEvents(Connection connection, List<Numbered> numbered)
      throws SQLException {
    try (var insert = connection.prepareStatement(STORE)) {
      new ArrayBinder<>(insert, 1, numbered)
          .text(each -> each.event.pool())
          .number(Numbered::seq)
          .number(each -> each.event.id)
          .text(each -> each.event.type)
          .text(each -> each.event.subject.holdId())
          .text(each -> each.encrypted.data())
          .number(each -> each.event.recordedUs);
      insert.executeUpdate();
    }
  }

  private record PersonFields(Numbered event, long keyId, Set<String> fields) {}

  private static void insertPersons(Connection connection, List<Numbered> numbered)
      throws SQLException {
    var persons = numbered.stream().flatMap(EventSequencer::personFields).toList();
    if (persons.isEmpty()) {
      return;
    }
    try (var insert = connection.prepareStatement(STORE_PERSONS)) {
      new ArrayBinder<>(insert, 1, persons)
          .number(PersonFields::keyId)
          .text(each -> each.event.event.pool())
          .number(each -> each.event.seq)
          .text(each -> String.join("\n", each.fields));
      insert.executeUpdate();
    }
  }

  private static Stream<PersonFields> personFields(Numbered event) {
    return event.encrypted.fields().entrySet().stream()
        .map(fields -> new PersonFields(event, fields.getKey(), fields.getValue()));
  }

  private static void deleteUnnumbered(Connection connection, List<Unnumbered> batch)
      throws SQLException {
    try (var delete = connection.prepareStatement("DELETE FROM event_fresh WHERE id = ANY (?)")) {
      var ids = batch.stream().map(Unnumbered::id).toArray();
      delete.setArray(1, connection.createArrayOf("bigint", ids));
      delete.executeUpdate();
    }
  }
}
