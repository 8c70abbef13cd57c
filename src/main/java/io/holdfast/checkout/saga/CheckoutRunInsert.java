package io.holdfast.checkout.saga;

import io.holdfast.postgres.Columns;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Writes runs that begin, with all of their steps and what undoes them, in the caller's
/// transaction and in one round trip.
public final class CheckoutRunInsert {
  private static final String INSERT =
      """
      WITH begun AS (
          INSERT INTO checkout (pool, checkout_id, saga, caller, requester, hold_id, fence, provider,
                                method, amount_cents, currency, lease_until)
          SELECT pool, checkout_id, saga, caller, requester, hold_id, fence, provider, method,
                 amount_cents, currency, clock_timestamp() + ? * interval '1 millisecond'
            FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                        ?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::text[])
              AS given (pool, checkout_id, saga, caller, requester, hold_id, fence, provider, method,
                        amount_cents, currency)
           ORDER BY hold_id
              ON CONFLICT ON CONSTRAINT checkout_hold_once DO NOTHING
          RETURNING pool, checkout_id, lease_no, created_at),
      planned AS (
          INSERT INTO checkout_step (pool, checkout_id, ordinal, name, call_id, undo_id, undo)
          SELECT begun.pool, begun.checkout_id, ordinal, name, call_id, undo_id, undo
            FROM begun
                 JOIN unnest(?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[])
                   AS steps (checkout_id, ordinal, name, call_id, undo_id, undo)
                   USING (checkout_id)),
      noted AS (
          INSERT INTO checkout_log (pool, checkout_id, lease_no, event, detail)
          SELECT pool, checkout_id, lease_no, 'STARTED', '' FROM begun)
      SELECT checkout_id, created_at FROM begun
      """;

  private CheckoutRunInsert() {}

  private record Planned(CheckoutRun run, int ordinal) {
    StepState step() {
      return run.steps().get(ordinal);
    }
  }

  /// The runs as they have begun; null for one whose hold has another one, for no hold has two.
  public static List<@Nullable CheckoutRun> insert(
      Connection connection, List<CheckoutRun> runs, Duration lease) throws SQLException {
    try (var insert = connection.prepareStatement(INSERT)) {
      insert.setLong(1, lease.toMillis());
      var next = bind(new Columns.Slots(connection, insert, 2, false), runs);
      bindSteps(
          new Columns.Slots(connection, insert, next, false),
          runs.stream().flatMap(CheckoutRunInsert::planned).toList());
      var begun = new HashMap<String, CheckoutRun>();
      try (var rows = insert.executeQuery()) {
        while (rows.next()) {
          var id = rows.getString("checkout_id");
          var at = Columns.moment(rows, "created_at");
          runs.stream()
              .filter(run -> run.id().toString().equals(id))
              .forEach(run -> begun.put(id, run.begun(at)));
        }
      }
      return runs.stream().map(run -> begun.get(run.id().toString())).toList();
    }
  }

  private static int bind(Columns.Slots slots, List<CheckoutRun> runs) throws SQLException {
    return slots
        .of(runs)
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
        .next();
  }

  private static Stream<Planned> planned(CheckoutRun run) {
    return IntStream.range(0, run.steps().size()).mapToObj(i -> new Planned(run, i));
  }

  private static void bindSteps(Columns.Slots slots, List<Planned> steps) throws SQLException {
    slots
        .of(steps)
        .text(planned -> planned.run.id().toString())
        .number(planned -> (long) planned.ordinal)
        .text(planned -> planned.step().name())
        .text(planned -> planned.step().callId())
        .text(planned -> planned.step().undoId())
        .text(planned -> planned.step().undo().name());
  }
}
