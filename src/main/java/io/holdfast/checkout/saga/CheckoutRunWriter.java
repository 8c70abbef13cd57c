package io.holdfast.checkout.saga;

import io.holdfast.checkout.saga.CheckoutRun.Failure;
import io.holdfast.checkout.saga.RunTransition.Entry;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.Several;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Writes runs, each time in the caller's transaction.
public final class CheckoutRunWriter {
  private static final String BY_INDEX = "SELECT " + Plans.BY_INDEX + ";\n";

  /// What is not ours any more is not there.
  private static final String LOCK =
      """
      SELECT c.checkout_id, clock_timestamp() AS now
        FROM unnest(?::text[], ?::text[], ?::bigint[]) AS given (pool, checkout_id, lease_no)
        JOIN checkout c ON c.pool = given.pool AND c.checkout_id = given.checkout_id
                       AND given.lease_no = c.lease_no
       ORDER BY given.pool, given.checkout_id
         FOR UPDATE OF c\
      """;

  /// A run that rests has no runner, and may be taken by any when its time has come. One that goes
  /// on is due already, and no index has to hear of it.
  private static final String UPDATE =
      """
      UPDATE checkout c
         SET phase = given.phase, steps_done = given.steps_done, tries = given.tries,
             failure_code = given.failure_code, failure = given.failure,
             claim_until = to_timestamp(given.claim_ms::float8 / 1000),
             replacement_id = given.replacement_id, refund_cents = given.refund_cents,
             changed_at = clock_timestamp(),
             lease_until = clock_timestamp() + given.lease_ms * interval '1 millisecond',
             next_at = CASE given.pause_ms WHEN 0 THEN c.next_at
                       ELSE clock_timestamp() + given.pause_ms * interval '1 millisecond' END,
             ended_at = CASE given.is_end WHEN 1 THEN clock_timestamp() END
        FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[],
                    ?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[],
                    ?::bigint[], ?::bigint[])
          AS given (pool, checkout_id, lease_no, phase, steps_done, tries, failure_code, failure,
                    claim_ms, replacement_id, refund_cents, lease_ms, pause_ms, is_end)
       WHERE c.pool = given.pool AND c.checkout_id = given.checkout_id
         AND c.lease_no = given.lease_no
      """;

  private static final String UPDATE_STEPS =
      """
      UPDATE checkout_step s
         SET state = given.state, undo = given.undo, undo_tries = given.undo_tries,
             detail = given.detail, changed_at = to_timestamp(given.changed_ms::float8 / 1000)
        FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::bigint[],
                    ?::text[], ?::bigint[])
          AS given (pool, checkout_id, ordinal, state, undo, undo_tries, detail, changed_ms)
       WHERE s.pool = given.pool AND s.checkout_id = given.checkout_id
         AND s.ordinal = given.ordinal
      """;

  private static final String RENEW =
      """
      UPDATE checkout c
         SET lease_until = clock_timestamp() + ? * interval '1 millisecond'
        FROM unnest(?::text[], ?::text[], ?::bigint[]) AS given (pool, checkout_id, lease_no)
       WHERE c.pool = given.pool AND c.checkout_id = given.checkout_id
         AND c.lease_no = given.lease_no AND c.ended_at IS NULL
      """;

  private static final String WAKE =
      """
      UPDATE checkout SET next_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ? AND ended_at IS NULL AND next_at > clock_timestamp()
      """;

  private static final String LOG =
      """
      INSERT INTO checkout_log (pool, checkout_id, lease_no, step, event, detail)
      SELECT * FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[])
      """;

  private CheckoutRunWriter() {}

  /// Postgres' clock, for each run that nobody else has now.
  ///
  /// @param waits whether to wait for who has one in a transaction, or to do without it
  static Map<CheckoutId, Instant> lock(Connection connection, List<CheckoutRun> runs, boolean waits)
      throws SQLException {
    var isLone = runs.size() == 1;
    var select = isLone ? LoneRow.text(LOCK) : LOCK;
    var sql = BY_INDEX + select + (waits ? "" : " SKIP LOCKED");
    try (var lock = connection.prepareStatement(Plans.current(sql))) {
      bindKeys(new Columns.Slots(connection, lock, 1, isLone), runs);
      lock.execute();
      lock.getMoreResults(); // the settings
      var locked = new HashMap<CheckoutId, Instant>();
      try (var rows = lock.getResultSet()) {
        while (rows.next()) {
          locked.put(
              CheckoutId.parse(rows.getString("checkout_id")).orElseThrow(),
              Columns.moment(rows, "now"));
        }
      }
      return locked;
    }
  }

  /// What a turn has made of a run.
  ///
  /// @param before as it was read, to write only what has changed
  /// @param pause how long it rests before its next turn
  record Change(
      CheckoutRun before, CheckoutRun after, Duration lease, Duration pause, List<Entry> entries) {}

  /// Whether all are written, which they are if they are locked.
  static boolean update(Connection connection, List<Change> changes) throws SQLException {
    var steps = changes.stream().flatMap(CheckoutRunWriter::changedSteps).toList();
    var lines = changes.stream().flatMap(CheckoutRunWriter::lines).toList();
    return new Several(connection)
        .add(UPDATE, changes, CheckoutRunWriter::bind)
        .add(UPDATE_STEPS, steps, CheckoutRunWriter::bindSteps)
        .add(LOG, lines, CheckoutRunWriter::bindLines)
        .isDone();
  }

  private static int bind(Columns.Slots slots, List<Change> changes) throws SQLException {
    return slots
        .of(changes)
        .text(change -> change.after.id().pool().value())
        .text(change -> change.after.id().toString())
        .number(change -> change.after.leaseNo())
        .text(change -> change.after.phase().name())
        .number(change -> (long) change.after.stepsDone())
        .number(change -> (long) change.after.tries())
        .text(change -> change.after.failure() instanceof Failure(var code, _) ? code : null)
        .text(change -> change.after.failure() instanceof Failure(_, var why) ? why : null)
        .moment(change -> change.after.claimUntil())
        .text(change -> change.after.replacement())
        .number(change -> change.after.refundCents())
        .number(change -> change.pause.isZero() ? change.lease.toMillis() : 0)
        .number(change -> change.pause.toMillis())
        .number(change -> change.after.phase().isEnd() ? 1L : 0L)
        .next();
  }

  private record ChangedStep(CheckoutRun run, int ordinal) {
    StepState step() {
      return run.steps().get(ordinal);
    }
  }

  private static Stream<ChangedStep> changedSteps(Change change) {
    return IntStream.range(0, change.after.steps().size())
        .filter(i -> !change.after.steps().get(i).equals(change.before.steps().get(i)))
        .mapToObj(i -> new ChangedStep(change.after, i));
  }

  private static int bindSteps(Columns.Slots slots, List<ChangedStep> steps) throws SQLException {
    return slots
        .of(steps)
        .text(changed -> changed.run.id().pool().value())
        .text(changed -> changed.run.id().toString())
        .number(changed -> (long) changed.ordinal)
        .text(changed -> changed.step().state().name())
        .text(changed -> changed.step().undo().name())
        .number(changed -> (long) changed.step().undoTries())
        .text(changed -> changed.step().detail())
        .moment(changed -> changed.step().changedAt())
        .next();
  }

  private record Line(CheckoutRun run, Entry entry) {}

  private static Stream<Line> lines(Change change) {
    return change.entries.stream().map(entry -> new Line(change.before, entry));
  }

  private static int bindLines(Columns.Slots slots, List<Line> lines) throws SQLException {
    return slots
        .of(lines)
        .text(line -> line.run.id().pool().value())
        .text(line -> line.run.id().toString())
        .number(line -> line.run.leaseNo())
        .text(line -> line.entry.step())
        .text(line -> line.entry.event())
        .text(line -> line.entry.detail())
        .next();
  }

  public static void log(Connection connection, CheckoutRun run, Entry entry) throws SQLException {
    new Several(connection)
        .add(LOG, List.of(new Line(run, entry)), CheckoutRunWriter::bindLines)
        .isDone();
  }

  /// A whole lease for those that nobody else has by now.
  static int renew(Connection connection, List<CheckoutRun> runs, Duration lease)
      throws SQLException {
    try (var update = connection.prepareStatement(RENEW)) {
      update.setLong(1, lease.toMillis());
      bindKeys(new Columns.Slots(connection, update, 2, false), runs);
      return update.executeUpdate();
    }
  }

  private static void bindKeys(Columns.Slots slots, List<CheckoutRun> runs) throws SQLException {
    slots
        .of(runs)
        .text(run -> run.id().pool().value())
        .text(run -> run.id().toString())
        .number(CheckoutRun::leaseNo);
  }

  public static int wake(Connection connection, CheckoutId id) throws SQLException {
    try (var update = connection.prepareStatement(WAKE)) {
      update.setString(1, id.pool().value());
      update.setString(2, id.toString());
      return update.executeUpdate();
    }
  }
}
