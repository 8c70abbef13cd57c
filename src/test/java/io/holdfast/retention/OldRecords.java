package io.holdfast.retention;

import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;

/// Records of the pool `arena` from six months ago, beside young ones, written with plain SQL, and
/// the retention that drops them.
final class OldRecords implements AutoCloseable {
  static final Duration KEEP = Duration.ofDays(90);

  private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("'journal_'uuuu_MM");

  private final TestSchema schema;
  private final TestLink link;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

  /// The month of the old records.
  private final ZonedDateTime month =
      Instant.now()
          .atZone(ZoneOffset.UTC)
          .truncatedTo(ChronoUnit.DAYS)
          .withDayOfMonth(1)
          .minusMonths(6);

  OldRecords(TestServers servers) {
    schema = new TestSchema(servers);
    link = TestLink.to(servers.jdbcUrl());
  }

  /// A run of a new instance that gets the lease.
  void drop() throws SQLException {
    execute("DELETE FROM lease");
    retention(KEEP).run();
  }

  Retention retention(Duration keep) {
    return new Retention(
        table(),
        new RetentionSettings(keep),
        link.leases(),
        new InstanceId(),
        new PeriodicTasks(meters),
        meters);
  }

  RetentionTable table() {
    return new RetentionTable(transactions());
  }

  Transactions transactions() {
    return link.transactions();
  }

  /// The count of all runs.
  double dropped(String records) {
    return meters.get("holdfast.retention.dropped").tag("records", records).counter().count();
  }

  double oldestSeconds() {
    return meters.get("holdfast.retention.oldest.seconds").gauge().value();
  }

  @Override
  public void close() {
    link.close();
  }

  String partition() {
    return NAME.format(month);
  }

  /// The tenth day of the month.
  Instant then() {
    return month.plusDays(9).toInstant();
  }

  /// The end of the month.
  Instant horizon() {
    return month.plusMonths(1).toInstant();
  }

  /// One old line of the journal in a partition of its own, and nothing else.
  void begin() throws SQLException {
    schema.clear(
        "hold",
        "attempt",
        "event",
        "event_head",
        "event_person",
        "person_key",
        "ticket",
        "admission",
        "token_replay",
        "webhook_lane",
        "webhook",
        "token_result",
        "outbox",
        "auction",
        "checkout",
        "commitment",
        "consumed_request",
        "journal_drop",
        "journal",
        "journal_cursor",
        "lease",
        "item",
        "pool");
    schema.execute("DROP TABLE IF EXISTS " + partition());
    createPartition();
    schema.execute(
        """
        INSERT INTO pool (pool, kind, epoch, item_count) VALUES ('arena', 'SEATS', 1, 9);
        INSERT INTO item (pool, item, ordinal) SELECT 'arena', 'A-' || n, n FROM generate_series(1, 9) n
        """);
    line(then());
  }

  void createPartition() throws SQLException {
    schema.execute(
        "CREATE TABLE %s PARTITION OF journal FOR VALUES FROM ('%s') TO ('%s')"
            .formatted(partition(), month.toInstant(), horizon()));
  }

  void line(Instant at) throws SQLException {
    schema.execute(
        """
        INSERT INTO journal (pool, recorded_at, stream_seq, epoch, happened_at, word, detail)
        VALUES ('arena', '%1$s', 0, 1, '%1$s', 'OPENED', '')
        """
            .formatted(at));
  }

  /// A hold of the item `A-<fence>` that was released after a minute.
  void released(int fence, Instant at) throws SQLException {
    hold(fence, at, "RELEASED");
  }

  void hold(int fence, Instant at, String state) throws SQLException {
    schema.execute(
        """
        INSERT INTO hold (pool, hold_id, caller, requester, items, fence, salt, token, placed_at,
                          lease_until, lease_ms, expires_at, state, ended_at)
        VALUES ('arena', 'h%1$d', 'shop', 'anna', '{A-%1$d}', %1$d, 's', 't%1$d', '%2$s',
                '%2$s'::timestamptz + interval '10 min', 600000,
                '%2$s'::timestamptz + interval '30 min', '%3$s',
                CASE '%3$s' WHEN 'HELD' THEN NULL ELSE '%2$s'::timestamptz + interval '1 min' END)
        """
            .formatted(fence, at, state));
  }

  void attempt(String token, String outcome, String detail, Instant at) throws SQLException {
    schema.execute(
        """
        INSERT INTO attempt (pool, caller, token, action, hold_id, logical_key, outcome, detail,
                             recorded_at)
        VALUES ('arena', 'shop', '%s', 'confirm', 'h9', 'key', '%s', '%s', '%s')
        """
            .formatted(token, outcome, detail, at));
  }

  void event(long sequence, Instant at) throws SQLException {
    schema.execute(
        """
        INSERT INTO event (pool, seq, id, type, subject, data, recorded_at)
        VALUES ('arena', %1$d, %1$d, 'checkout.fulfilled', 'c', '{}', '%2$s')
        """
            .formatted(sequence, at));
  }

  /// A webhook that has got the events of the pool up to this one.
  void webhook(long delivered, boolean isEnabled) throws SQLException {
    schema.execute(
        """
        WITH hook AS (
            INSERT INTO webhook (caller, url, types, secret, enabled, disabled_why)
            VALUES ('shop', 'https://shop.example', '{checkout.fulfilled}', 's', %s, %s)
            RETURNING id)
        INSERT INTO webhook_lane (webhook_id, pool, seq) SELECT id, 'arena', %d FROM hook
        """
            .formatted(isEnabled, isEnabled ? "NULL" : "'failed'", delivered));
  }

  void checkout(String holdId, String phase, String replacement) throws SQLException {
    schema.execute(
        """
        INSERT INTO checkout (pool, checkout_id, saga, caller, requester, hold_id, fence, provider,
                              method, amount_cents, currency, phase, lease_until, ended_at,
                              replacement_id)
        VALUES ('arena', 'c', 'checkout', 'shop', 'anna', '%1$s', 1, 'p', 'm', 0, 'EUR', '%2$s', now(),
                CASE '%2$s' WHEN 'FORWARD' THEN NULL ELSE now() END, '%3$s')
        """
            .formatted(holdId, phase, replacement));
  }

  void token(String token, Instant at, String until) throws SQLException {
    schema.execute(
        """
        INSERT INTO token_result (pool, caller, token, action, digest, digest_function, outcome,
                                  recorded_at, window_until)
        VALUES ('arena', 'shop', '%s', 'place_hold', 'd', '1', 'HELD', '%s', %s)
        """
            .formatted(token, at, until));
  }

  /// A confirm under this token whose answer was repeated until then.
  void replay(String token, Instant lastAt) throws SQLException {
    schema.execute(
        """
        INSERT INTO token_replay
        SELECT sha256(convert_to('arena', 'UTF8') || '\\x00'::bytea || '%1$s'::bytea), 'shop',
               'confirm', '%2$s', 'arena', '%1$s', 2, '%2$s', '%2$s'
        """
            .formatted(token, lastAt));
  }

  void execute(String sql) throws SQLException {
    schema.execute(sql);
  }

  List<String> holds() throws SQLException {
    return schema.texts("SELECT hold_id FROM hold ORDER BY fence");
  }

  List<String> attempts() throws SQLException {
    return schema.texts("SELECT concat_ws(' ', outcome, detail) FROM attempt ORDER BY id");
  }

  List<String> events() throws SQLException {
    return schema.texts("SELECT seq FROM event ORDER BY seq");
  }

  /// The tables that have lines of the journal.
  List<String> linesIn() throws SQLException {
    return schema.texts("SELECT tableoid::regclass::text FROM journal ORDER BY recorded_at");
  }

  List<String> texts(String sql) throws SQLException {
    return schema.texts(sql);
  }
}
