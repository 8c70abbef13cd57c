package io.holdfast.events.privacy;

import io.holdfast.postgres.Columns;
import io.holdfast.postgres.ManyRows;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The keys that open personal data, one for each person. Whoever reads a row while it is used to
/// seal something makes shredding wait, so nothing is sealed with a key that is gone.
@Singleton
public final class SubjectKeys {
  private static final String MAKE =
      ManyRows.text(
          """
          INSERT INTO person_key (person_hash, secret)
          SELECT person_hash, secret
            FROM unnest(?::bytea[], ?::bytea[]) AS given (person_hash, secret)
           ORDER BY person_hash
              ON CONFLICT (person_hash) WHERE secret IS NOT NULL DO NOTHING
          RETURNING id, person_hash, secret
          """);

  private static final String OF_PERSONS =
      """
      SELECT id, person_hash, secret FROM person_key
       WHERE person_hash = ANY (?) AND secret IS NOT NULL
       ORDER BY person_hash
         FOR SHARE
      """;

  private final SecureRandom random;

  SubjectKeys(SecureRandom random) {
    this.random = random;
  }

  public record Key(long id, SubjectCipher seal) {}

  /// What is known of a key by its number.
  ///
  /// @param seal null once it is shredded, which it was at `shreddedAt`
  public record Trace(@Nullable SubjectCipher seal, @Nullable Instant shreddedAt) {}

  /// Keys of all these persons; those who have none get one.
  public Map<DataSubject, Key> ofAll(Connection connection, Set<DataSubject> persons)
      throws SQLException {
    var byHash = new HashMap<ByteBuffer, DataSubject>();
    persons.forEach(person -> byHash.put(ByteBuffer.wrap(person.hash()), person));
    var keys = find(connection, byHash);
    if (keys.size() < persons.size()) {
      var without = new HashMap<>(byHash);
      without.values().removeAll(keys.keySet());
      keys.putAll(make(connection, without));
    }
    return keys.size() < persons.size() ? find(connection, byHash) : keys; // others made some
  }

  /// What is made here nobody else sees before this transaction ends.
  private Map<DataSubject, Key> make(Connection connection, Map<ByteBuffer, DataSubject> byHash)
      throws SQLException {
    var secrets = new byte[byHash.size()][SubjectCipher.KEY_BYTES];
    for (var secret : secrets) {
      random.nextBytes(secret);
    }
    try (var insert = connection.prepareStatement(MAKE)) {
      setHashes(connection, insert, byHash.keySet());
      insert.setArray(2, connection.createArrayOf("bytea", secrets));
      return keys(insert, byHash);
    }
  }

  private static Map<DataSubject, Key> find(
      Connection connection, Map<ByteBuffer, DataSubject> byHash) throws SQLException {
    try (var select = connection.prepareStatement(OF_PERSONS)) {
      setHashes(connection, select, byHash.keySet());
      return keys(select, byHash);
    }
  }

  private static Map<DataSubject, Key> keys(
      PreparedStatement statement, Map<ByteBuffer, DataSubject> byHash) throws SQLException {
    var keys = new HashMap<DataSubject, Key>();
    try (var rows = statement.executeQuery()) {
      while (rows.next()) {
        var person = byHash.get(ByteBuffer.wrap(rows.getBytes("person_hash")));
        keys.put(person, new Key(rows.getLong("id"), new SubjectCipher(rows.getBytes("secret"))));
      }
    }
    return keys;
  }

  /// Keys by number, also those that are shredded.
  public static Map<Long, Trace> traces(Connection connection, Set<Long> ids) throws SQLException {
    var traces = new HashMap<Long, Trace>();
    if (ids.isEmpty()) {
      return traces;
    }
    var sql = "SELECT id, secret, shredded_at FROM person_key WHERE id = ANY (?)";
    try (var select = connection.prepareStatement(sql)) {
      select.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          var secret = rows.getBytes("secret");
          traces.put(
              rows.getLong("id"),
              secret == null
                  ? new Trace(null, Columns.moment(rows, "shredded_at"))
                  : new Trace(new SubjectCipher(secret), null));
        }
      }
    }
    return traces;
  }

  private static void setHashes(
      Connection connection, PreparedStatement statement, Collection<ByteBuffer> hashes)
      throws SQLException {
    var bytes = hashes.stream().map(ByteBuffer::array).toArray(byte[][]::new);
    statement.setArray(1, connection.createArrayOf("bytea", bytes));
  }
}
