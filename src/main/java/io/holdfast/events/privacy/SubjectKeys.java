package io.holdfast.events.privacy;

import io.holdfast.postgres.ArrayBinder;
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

/// The encryption keys of personal data, one for each person. A transaction that encrypts locks the
/// rows FOR SHARE, so a shredding waits for it and no value is encrypted with a destroyed key.
@Singleton
public final class SubjectKeys {
  private static final String CREATE =
      """
      INSERT INTO person_key (person_hash, secret)
      SELECT person_hash, secret
        FROM (SELECT unnest(?::bytea[]) AS person_hash, unnest(?::bytea[]) AS secret) AS given
       ORDER BY person_hash
          ON CONFLICT (person_hash) WHERE secret IS NOT NULL DO NOTHING
      RETURNING id, person_hash, secret
      """;

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

  public record Key(long id, SubjectCipher cipher) {}

  /// A key, or the time at which it was destroyed.
  ///
  /// @param cipher null if the key was destroyed at `shreddedAt`
  public record KeyState(@Nullable SubjectCipher cipher, @Nullable Instant shreddedAt) {}

  /// Returns the keys of all persons and creates the missing ones.
  public Map<DataSubject, Key> findOrCreate(Connection connection, Set<DataSubject> persons)
      throws SQLException {
    var byHash = new HashMap<ByteBuffer, DataSubject>();
    persons.forEach(person -> byHash.put(ByteBuffer.wrap(person.hash()), person));
    var keys = find(connection, byHash);
    if (keys.size() < persons.size()) {
      var missing = new HashMap<>(byHash);
      missing.values().removeAll(keys.keySet());
      keys.putAll(create(connection, missing));
    }
    return keys.size() < persons.size() ? find(connection, byHash) : keys; // created concurrently
  }

  private Map<DataSubject, Key> create(Connection connection, Map<ByteBuffer, DataSubject> byHash)
      throws SQLException {
    var secrets = new byte[byHash.size()][SubjectCipher.KEY_BYTES];
    for (var secret : secrets) {
      random.nextBytes(secret);
    }
    try (var insert = connection.prepareStatement(CREATE)) {
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

  private static void setHashes(
      Connection connection, PreparedStatement statement, Collection<ByteBuffer> hashes)
      throws SQLException {
    var bytes = hashes.stream().map(ByteBuffer::array).toArray(byte[][]::new);
    statement.setArray(1, connection.createArrayOf("bytea", bytes));
  }
}
