package io.holdfast.subject;

import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.StatementRun;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The keys of persons. A key encrypts the personal values of events, and the pseudonym of a person
/// is computed from it. A transaction that writes either locks the row of the key FOR SHARE, so a
/// shredding waits for it, and nothing is written with a destroyed key. The key of a person of whom
/// no record is left is dropped; a writer that has waited for it makes a new one.
///
/// No key is cached: it is created and read by the transaction that needs it, so instances that
/// create the key of one person at the same time get one key, and none works on with a key that
/// another instance has destroyed.
public final class SubjectKeys {
  private static final String BY_INDEX = "SELECT " + Plans.BY_INDEX + ";\n";

  /// Creates the missing keys. In the order of their hashes, so that two transactions never wait in
  /// a circle. A key that another transaction has just created is seen by the next statement only.
  public static final String CREATE =
      """
      INSERT INTO person_key (person_hash)
      SELECT person_hash FROM (SELECT DISTINCT unnest(?::bytea[]) AS person_hash) AS given
       WHERE NOT EXISTS (SELECT 1 FROM person_key k
                          WHERE k.person_hash = given.person_hash AND k.secret IS NOT NULL)
       ORDER BY person_hash
          ON CONFLICT (person_hash) WHERE secret IS NOT NULL DO NOTHING;
      """;

  /// Keeps the keys from being destroyed until the transaction ends.
  public static final String LOCK =
      """
      SELECT k.id, k.person_hash, k.secret, k.pseudonym
        FROM (SELECT DISTINCT unnest(?::bytea[]) AS person_hash) AS given
        JOIN person_key k ON k.person_hash = given.person_hash AND k.secret IS NOT NULL
         FOR SHARE OF k
      """;

  private static final int TRIES_MAX = 3;

  private SubjectKeys() {}

  /// @param pseudonym what append-only tables have in the place of the requester
  public record Key(long id, SubjectCipher cipher, String pseudonym) {}

  /// A key, or the time at which it was destroyed.
  ///
  /// @param cipher null if the key was destroyed at `shreddedAt`
  public record KeyState(@Nullable SubjectCipher cipher, @Nullable Instant shreddedAt) {}

  /// Returns the keys of all persons, locked, and creates the missing ones.
  public static Map<DataSubject, Key> findOrCreate(Connection connection, Set<DataSubject> persons)
      throws SQLException {
    var keys = new HashMap<DataSubject, Key>();
    var missing = Set.copyOf(persons);
    for (var tries = 0; tries < TRIES_MAX && !missing.isEmpty(); tries++) {
      keys.putAll(createAndLock(connection, missing));
      missing = new HashSet<>(persons);
      missing.removeAll(keys.keySet()); // destroyed or dropped before they were locked
    }
    if (!missing.isEmpty()) {
      throw new IllegalStateException(missing.size() + " keys of persons were destroyed again");
    }
    return keys;
  }

  /// Keeps the key of a person from being destroyed until the transaction ends, if there is one.
  public static void lock(Connection connection, DataSubject person) throws SQLException {
    try (var run = StatementRun.of(connection, BY_INDEX + LOCK)) {
      run.rows(List.of(person), columns -> columns.bytes(DataSubject::hashText)).execute();
    }
  }

  private static Map<DataSubject, Key> createAndLock(
      Connection connection, Set<DataSubject> persons) throws SQLException {
    var byHash = new HashMap<ByteBuffer, DataSubject>();
    persons.forEach(person -> byHash.put(ByteBuffer.wrap(person.hash()), person));
    var given = List.copyOf(byHash.values());
    var keys = new HashMap<DataSubject, Key>();
    try (var run = StatementRun.of(connection, BY_INDEX + CREATE + LOCK)) {
      run.rows(given, columns -> columns.bytes(DataSubject::hashText))
          .rows(given, columns -> columns.bytes(DataSubject::hashText))
          .execute()
          .skip() // the settings
          .skip() // the new keys
          .take(
              row -> keys.put(byHash.get(ByteBuffer.wrap(row.getBytes("person_hash"))), key(row)));
    }
    return keys;
  }

  private static Key key(ResultSet row) throws SQLException {
    return new Key(
        row.getLong("id"), new SubjectCipher(row.getBytes("secret")), row.getString("pseudonym"));
  }

  /// Returns keys by id, including destroyed ones.
  public static Map<Long, KeyState> byId(Connection connection, Set<Long> ids) throws SQLException {
    var keys = new HashMap<Long, KeyState>();
    if (ids.isEmpty()) {
      return keys;
    }
    var sql = "SELECT id, secret, shredded_at FROM person_key WHERE id = ANY (?)";
    try (var select = connection.prepareStatement(sql)) {
      select.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          var secret = rows.getBytes("secret");
          keys.put(
              rows.getLong("id"),
              secret == null
                  ? new KeyState(null, ArrayBinder.moment(rows, "shredded_at"))
                  : new KeyState(new SubjectCipher(secret), null));
        }
      }
    }
    return keys;
  }
}
