package io.holdfast.checkout.saga;

import io.holdfast.checkout.saga.CheckoutRun.Failure;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.RunTransition.Entry;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The SQL that starts and changes runs, in the transaction of the caller.
public final class CheckoutRunWriter {
  /// Writes runs, steps and a log entry in one round trip.
  private static final String INSERT =
      """
      WITH begun AS (
          INSERT INTO checkout (pool, checkout_id, saga, caller, requester, hold_id, fence, provider,
                                method, amount_cents, currency, metadata, logical_key, nonce_hash,
                                lease_until)
          SELECT pool, checkout_id, saga, caller, requester, hold_id, fence, provider, method,
                 amount_cents, currency, metadata, logical_key, nonce_hash,
                 clock_timestamp() + ? * interval '1 millisecond'
            FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS checkout_id,
                         unnest(?::text[]) AS saga, unnest(?::text[]) AS caller,
                         unnest(?::text[]) AS requester, unnest(?::text[]) AS hold_id,
                         unnest(?::bigint[]) AS fence, unnest(?::text[]) AS provider,
                         unnest(?::text[]) AS method, unnest(?::bigint[]) AS amount_cents,
                         unnest(?::text[]) AS currency, unnest(?::text[]) AS metadata,
                         unnest(?::text[]) AS logical_key, unnest(?::bytea[]) AS nonce_hash)
                 AS given
           ORDER BY hold_id
              ON CONFLICT (hold_id, pool) WHERE phase <> 'COMPENSATED' DO NOTHING
          RETURNING pool, checkout_id, lease_no, created_at),
      planned AS (
          INSERT INTO checkout_step (pool, checkout_id, ordinal, name, call_id, undo_id, undo)
          SELECT begun.pool, begun.checkout_id, ordinal, name, call_id, undo_id, undo
            FROM begun
                 JOIN (SELECT unnest(?::text[]) AS checkout_id, unnest(?::bigint[]) AS ordinal,
                              unnest(?::text[]) AS name, unnest(?::text[]) AS call_id,
                              unnest(?::text[]) AS undo_id, unnest(?::text[]) AS undo) AS steps
                   USING (checkout_id)),
      noted AS (
          INSERT INTO checkout_log (pool, checkout_id, lease_no, event, detail)
          SELECT pool, checkout_id, lease_no, 'STARTED', '' FROM begun)
      SELECT checkout_id, created_at FROM begun
      """;

  /// Does not return runs whose lease another runner has. Waits for locked runs.
  private static final String LOCK =
      """
      SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
             set_config('enable_mergejoin', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true),
             set_config('jit', 'off', true);
      SELECT c.checkout_id, clock_timestamp() AS now
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS checkout_id,
                     unnest(?::bigint[]) AS lease_no) AS given
        JOIN checkout c ON c.pool = given.pool AND c.checkout_id = given.checkout_id
                       AND given.lease_no = c.lease_no
       ORDER BY given.pool, given.checkout_id
         FOR UPDATE OF c
      """;

  /// The same, but skips locked runs.
  private static final String LOCK_FREE =
      """
      SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
             set_config('enable_mergejoin', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true),
             set_config('jit', 'off', true);
      SELECT c.checkout_id, clock_timestamp() AS now
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS checkout_id,
                     unnest(?::bigint[]) AS lease_no) AS given
        JOIN checkout c ON c.pool = given.pool AND c.checkout_id = given.checkout_id
                       AND given.lease_no = c.lease_no
       ORDER BY given.pool, given.checkout_id
         FOR UPDATE OF c SKIP LOCKED
      """;

  /// A run that pauses gives up its lease. One that goes on keeps `next_at`, so that the index is
  /// not written.
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
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS checkout_id,
                     unnest(?::bigint[]) AS lease_no, unnest(?::text[]) AS phase,
                     unnest(?::bigint[]) AS steps_done, unnest(?::bigint[]) AS tries,
                     unnest(?::text[]) AS failure_code, unnest(?::text[]) AS failure,
                     unnest(?::bigint[]) AS claim_ms, unnest(?::text[]) AS replacement_id,
                     unnest(?::bigint[]) AS refund_cents, unnest(?::bigint[]) AS lease_ms,
                     unnest(?::bigint[]) AS pause_ms, unnest(?::bigint[]) AS is_end) AS given
       WHERE c.pool = given.pool AND c.checkout_id = given.checkout_id
         AND c.lease_no = given.lease_no
      """;

  private static final String UPDATE_STEPS =
      """
      UPDATE checkout_step s
         SET state = given.state, undo = given.undo, undo_tries = given.undo_tries,
             detail = given.detail, changed_at = to_timestamp(given.changed_ms::float8 / 1000)
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS checkout_id,
                     unnest(?::bigint[]) AS ordinal, unnest(?::text[]) AS state,
                     unnest(?::text[]) AS undo, unnest(?::bigint[]) AS undo_tries,
                     unnest(?::text[]) AS detail, unnest(?::bigint[]) AS changed_ms) AS given
       WHERE s.pool = given.pool AND s.checkout_id = given.checkout_id
         AND s.ordinal = given.ordinal
      """;

  private static final String WAKE =
      """
      UPDATE checkout SET next_at = clock_timestamp()
       WHERE pool = ? AND checkout_id = ? AND ended_at IS NULL AND next_at > clock_timestamp()
      """;

  private static final String LOG =
      """
      INSERT INTO checkout_log (pool, checkout_id, lease_no, step, event, detail)
      SELECT unnest(?::text[]), unnest(?::text[]), unnest(?::bigint[]), unnest(?::text[]),
             unnest(?::text[]), unnest(?::text[])
      """;

  private static final String UPDATE_ALL = UPDATE + ";\n" + UPDATE_STEPS + ";\n" + LOG;

  private CheckoutRunWriter() {}

  /// Starts runs with all of their steps. Returns null for a run whose hold has another run that
  /// was not undone.
  public static List<@Nullable CheckoutRun> insert(
      Connection connection, List<CheckoutRun> runs, Duration lease) throws SQLException {
    var steps = runs.stream().flatMap(CheckoutRunWriter::plannedSteps).toList();
    var startedAt = new HashMap<String, Instant>();
    try (var insert = StatementRun.of(connection, INSERT)) {
      insert
          .number(lease.toMillis())
          .rows(runs, CheckoutRunWriter::bindRuns)
          .rows(steps, CheckoutRunWriter::bindPlannedSteps)
          .execute()
          .take(
              row ->
                  startedAt.put(
                      row.getString("checkout_id"), ArrayBinder.moment(row, "created_at")));
    }
    var started = new ArrayList<@Nullable CheckoutRun>();
    for (var run : runs) {
      var at = startedAt.get(run.id().toString());
      started.add(at == null ? null : run.startedAt(at));
    }
    return started;
  }

  private static ArrayBinder<CheckoutRun> bindRuns(ArrayBinder<CheckoutRun> columns)
      throws SQLException {
    return columns
        .text(run -> run.id().pool().value())
        .text(run -> run.id().toString())
        .text(CheckoutRun::saga)
        .text(run -> run.order().caller())
        .text(run -> run.order().requester())
        .text(run -> run.order().holdId())
        .number(run -> run.order().fence())
        .text(run -> run.order().provider())
        .text(run -> run.order().method())
        .number(run -> run.order().price().cents())
        .text(run -> run.order().price().currency())
        .text(run -> run.order().metadata())
        .text(run -> run.order().logicalKey())
        .bytes(run -> run.order().nonceHash());
  }

  private static Stream<RunStep> plannedSteps(CheckoutRun run) {
    return IntStream.range(0, run.steps().size()).mapToObj(i -> new RunStep(run, i));
  }

  private static ArrayBinder<RunStep> bindPlannedSteps(ArrayBinder<RunStep> columns)
      throws SQLException {
    return columns
        .text(step -> step.run.id().toString())
        .number(step -> (long) step.ordinal)
        .text(step -> step.state().name())
        .text(step -> step.state().callId())
        .text(step -> step.state().undoId())
        .text(step -> step.state().undo().name());
  }

  /// Returns the time of Postgres for each run that is locked now.
  ///
  /// @param waits whether to wait for locked runs or to skip them
  static Map<CheckoutId, Instant> lock(Connection connection, List<CheckoutRun> runs, boolean waits)
      throws SQLException {
    var locked = new HashMap<CheckoutId, Instant>();
    try (var run = StatementRun.of(connection, waits ? LOCK : LOCK_FREE)) {
      run.rows(runs, CheckoutRunWriter::bindKeys)
          .execute()
          .skip() // the settings
          .take(
              row ->
                  locked.put(
                      CheckoutId.parse(row.getString("checkout_id")).orElseThrow(),
                      ArrayBinder.moment(row, "now")));
    }
    return locked;
  }

  /// The change of a run by one turn.
  ///
  /// @param before as it was read, so that only changed steps are written
  /// @param pause before its next turn
  record Change(
      CheckoutRun before, CheckoutRun after, Duration lease, Duration pause, List<Entry> entries) {}

  /// Returns whether all rows were written, which is so for locked runs.
  static boolean update(Connection connection, List<Change> changes) throws SQLException {
    var steps = changes.stream().flatMap(CheckoutRunWriter::changedSteps).toList();
    var lines = changes.stream().flatMap(CheckoutRunWriter::lines).toList();
    try (var run = StatementRun.of(connection, UPDATE_ALL)) {
      run.rows(changes, CheckoutRunWriter::bind)
          .rows(steps, CheckoutRunWriter::bindSteps)
          .rows(lines, CheckoutRunWriter::bindLines)
          .execute();
      return run.take(_ -> {}) == changes.size()
          && run.take(_ -> {}) == steps.size()
          && run.take(_ -> {}) == lines.size();
    }
  }

  private static ArrayBinder<Change> bind(ArrayBinder<Change> columns) throws SQLException {
    return columns
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
        .number(change -> change.after.phase().isEnd() ? 1L : 0L);
  }

  private record RunStep(CheckoutRun run, int ordinal) {
    StepState state() {
      return run.steps().get(ordinal);
    }
  }

  private static Stream<RunStep> changedSteps(Change change) {
    return IntStream.range(0, change.after.steps().size())
        .filter(i -> !change.after.steps().get(i).equals(change.before.steps().get(i)))
        .mapToObj(i -> new RunStep(change.after, i));
  }

  private static ArrayBinder<RunStep> bindSteps(ArrayBinder<RunStep> columns) throws SQLException {
    return columns
        .text(changed -> changed.run.id().pool().value())
        .text(changed -> changed.run.id().toString())
        .number(changed -> (long) changed.ordinal)
        .text(changed -> changed.state().state().name())
        .text(changed -> changed.state().undo().name())
        .number(changed -> (long) changed.state().undoTries())
        .text(changed -> changed.state().detail())
        .moment(changed -> changed.state().changedAt());
  }

  private record Line(CheckoutRun run, Entry entry) {}

  private static Stream<Line> lines(Change change) {
    return change.entries.stream().map(entry -> new Line(change.before, entry));
  }

  private static ArrayBinder<Line> bindLines(ArrayBinder<Line> columns) throws SQLException {
    return columns
        .text(line -> line.run.id().pool().value())
        .text(line -> line.run.id().toString())
        .number(line -> line.run.leaseNo())
        .text(line -> line.entry.step())
        .text(line -> line.entry.event())
        .text(line -> line.entry.detail());
  }

  public static void log(Connection connection, CheckoutRun run, Entry entry) throws SQLException {
    try (var insert = StatementRun.of(connection, LOG)) {
      insert.rows(List.of(new Line(run, entry)), CheckoutRunWriter::bindLines).execute();
    }
  }

  static ArrayBinder<CheckoutRun> bindKeys(ArrayBinder<CheckoutRun> columns) throws SQLException {
    return columns
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
