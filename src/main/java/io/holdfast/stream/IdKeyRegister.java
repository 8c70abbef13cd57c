package io.holdfast.stream;

import io.holdfast.config.InvalidSetting;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// Refuses a service whose keys are not those that made the ids of this database. It would give a
/// known business key a new id and create a second stream for it. The table has a fingerprint of
/// each key that was configured when a stream was created.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class IdKeyRegister implements StartupTask {
  private static final String READ = "SELECT version, fingerprint FROM stream_secret";

  private static final String RECORD =
      """
      INSERT INTO stream_secret (version, fingerprint)
      SELECT version, fingerprint
        FROM unnest(?::int[], ?::bytea[]) AS given (version, fingerprint)
       ORDER BY version
          ON CONFLICT DO NOTHING
      """;

  private final IdKeys keys;
  private final Transactions transactions;

  /// Rows are never deleted, so what was read once stays true.
  private volatile boolean isRecorded;

  IdKeyRegister(StreamSettings settings, Transactions transactions) {
    this.keys = settings.keys();
    this.transactions = transactions;
  }

  @Override
  public void atStart() {
    var recorded = transactions.read(IdKeyRegister::read);
    refuseOtherSecrets(recorded);
    refuseMissingVersions(recorded);
  }

  /// Belongs into the transaction of a create. Another instance may have recorded other secrets
  /// since the start of this one.
  void record(Connection connection) throws SQLException {
    if (isRecorded) {
      return;
    }
    var committed = read(connection);
    refuseOtherSecrets(committed);
    if (keys.all().stream().allMatch(key -> committed.containsKey(key.version()))) {
      isRecorded = true;
      return;
    }
    insert(connection);
    refuseOtherSecrets(read(connection));
  }

  private static Map<Integer, byte[]> read(Connection connection) throws SQLException {
    try (var select = connection.prepareStatement(READ);
        var rows = select.executeQuery()) {
      var fingerprints = new HashMap<Integer, byte[]>();
      while (rows.next()) {
        fingerprints.put(rows.getInt("version"), rows.getBytes("fingerprint"));
      }
      return fingerprints;
    }
  }

  private void insert(Connection connection) throws SQLException {
    var versions = keys.all().stream().map(IdKey::version).toArray(Integer[]::new);
    var fingerprints = keys.all().stream().map(IdKey::fingerprint).toArray(byte[][]::new);
    try (var insert = connection.prepareStatement(RECORD)) {
      insert.setArray(1, connection.createArrayOf("int", versions));
      insert.setArray(2, connection.createArrayOf("bytea", fingerprints));
      insert.executeUpdate();
    }
  }

  private void refuseOtherSecrets(Map<Integer, byte[]> recorded) {
    for (var key : keys.all()) {
      var fingerprint = recorded.get(key.version());
      if (fingerprint != null && !Arrays.equals(fingerprint, key.fingerprint())) {
        throw refused(key.version(), "one with another secret");
      }
    }
  }

  /// Only at the start: while a new key is being added, instances without it may go on. They share
  /// the older key with the others, and each create takes the ids under all keys of its instance.
  private void refuseMissingVersions(Map<Integer, byte[]> recorded) {
    for (var version : recorded.keySet()) {
      if (keys.all().stream().noneMatch(key -> key.version() == version)) {
        throw refused(version, "one without it");
      }
    }
  }

  private static InvalidSetting refused(int version, String found) {
    var rule = "must keep key %d, which streams of this database were created with";
    return new InvalidSetting(StreamSettings.ID_KEY, rule.formatted(version), found);
  }
}
