package io.holdfast.commitment;

import io.holdfast.postgres.Migrations;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.StartFailure;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Checks at the start that the table of consumed keys can prevent replays. It queries the
/// catalogue of Postgres and does not rely on the migrations. The service does not start on a table
/// that fails a check.
@Singleton
@Order(Migrations.FIRST + 1)
final class ReplayTableCheck implements StartupTask {
  static final String NOT_FIT = "REPLAY_SURFACE_NOT_FIT";

  private static final String SURFACE = "consumed_request";

  /// The required properties, each with a query that returns whether it holds; `{t}` is the table.
  private static final Map<String, String> PROOFS = new LinkedHashMap<>();

  static {
    PROOFS.put(
        "(a) replay_key alone is unique, and no attempt is a part of any key",
        """
        SELECT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = {t}::regclass AND indisunique
                          AND indisvalid AND indpred IS NULL AND indnkeyatts = 1
                          AND pg_get_indexdef(indexrelid, 1, false) = 'replay_key')
           AND NOT EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
                              AND a.attnum = ANY (i.indkey)
                            WHERE i.indrelid = {t}::regclass AND i.indisunique
                              AND a.attname LIKE 'attempt%')
        """);
    PROOFS.put(
        "(b) operation, target, run_id, artifact_hash and owner_binding are bound",
        """
        SELECT count(*) = 8 FROM pg_attribute
         WHERE attrelid = {t}::regclass AND attnotnull AND NOT attisdropped
           AND attname IN ('logical_key', 'protocol_version', 'operation', 'target', 'run_id',
                           'artifact_hash', 'owner_binding', 'replay_key')
        """);
    PROOFS.put(
        "(c) it contains sales only",
        """
        SELECT EXISTS (SELECT 1 FROM pg_constraint
                        WHERE conrelid = {t}::regclass AND contype = 'c' AND convalidated
                          AND pg_get_constraintdef(oid) = 'CHECK ((operation = ''confirm''::text))')
        """);
    PROOFS.put(
        "(d) a second use of a key is refused at once, together with its sale",
        """
        SELECT bool_and(indimmediate) AND bool_or(indisprimary)
           AND (SELECT relpersistence = 'p' FROM pg_class WHERE oid = {t}::regclass)
           AND to_regclass('commitment_one_live_per_item') IS NOT NULL
          FROM pg_index WHERE indrelid = {t}::regclass AND indisunique
        """);
    PROOFS.put(
        "(e) only the service inserts rows, and no role changes them",
        """
        SELECT has_table_privilege({t}, 'INSERT')
           AND NOT has_any_column_privilege({t}, 'UPDATE')
           AND NOT has_table_privilege({t}, 'DELETE')
           AND NOT has_table_privilege({t}, 'TRUNCATE')
           AND NOT has_table_privilege('holdfast_auditor', {t}, 'INSERT')
           AND NOT EXISTS (SELECT 1 FROM pg_class, aclexplode(relacl) acl
                            WHERE oid = {t}::regclass AND acl.grantee = 0)
           AND EXISTS (SELECT 1 FROM pg_trigger
                        WHERE tgrelid = {t}::regclass AND tgenabled IN ('O', 'A')
                          AND tgtype & 2 <> 0 AND tgtype & 8 <> 0 AND tgtype & 16 <> 0)
        """);
    PROOFS.put(
        "(f) attempts have a table of their own, which is append-only",
        """
        SELECT {t} <> 'attempt' AND has_table_privilege('attempt', 'INSERT')
           AND NOT has_any_column_privilege('attempt', 'UPDATE')
           AND NOT has_table_privilege('attempt', 'DELETE')
        """);
    PROOFS.put(
        "(g) it names the effect of a key, so that a replay gets the first result",
        """
        SELECT count(*) = 3 FROM pg_attribute
         WHERE attrelid = {t}::regclass AND attnotnull AND NOT attisdropped
           AND attname IN ('target', 'order_id', 'token')
        """);
    PROOFS.put(
        "(h) TRUNCATE is refused",
        """
        SELECT EXISTS (SELECT 1 FROM pg_trigger
                        WHERE tgrelid = {t}::regclass AND tgenabled IN ('O', 'A')
                          AND tgtype & 2 <> 0 AND tgtype & 32 <> 0)
        """);
  }

  private final Transactions transactions;

  ReplayTableCheck(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public void atStart() {
    refuseUnfit(SURFACE);
  }

  /// @throws StartFailure if the table lacks a property
  void refuseUnfit(String table) {
    var missing = transactions.read(connection -> missing(connection, table));
    if (!missing.isEmpty()) {
      throw new StartFailure(
          "%s: the table %s does not show that %s; nothing is sold on it. Run the migrations of this version on a database of its own."
              .formatted(NOT_FIT, table, String.join("; ", missing)));
    }
  }

  /// The properties that the table lacks.
  static List<String> missing(Connection connection, String table) throws SQLException {
    var missing = new ArrayList<String>();
    for (var proof : PROOFS.entrySet()) {
      var sql = proof.getValue().replace("{t}", "'" + table + "'");
      try (var statement = connection.createStatement();
          var rows = statement.executeQuery(sql)) {
        rows.next();
        if (!rows.getBoolean(1)) {
          missing.add(proof.getKey());
        }
      }
    }
    return missing;
  }
}
