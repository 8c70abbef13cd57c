package io.holdfast.onsale;

import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.Rows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What came of a simulation, from the records in Postgres and from the auditor, with the limits.
///
/// @param sold seats
/// @param strangers seats that were sold to somebody who was not admitted
/// @param inversions people who waited while somebody behind them was admitted
/// @param botsHolds holds that bots placed
/// @param violations that the auditor found
/// @param unfinished visits that had not ended when the simulation did
public record OnSaleReport(
    OnSalePlan plan,
    Duration took,
    Map<Visit.End, Long> ends,
    long sold,
    long strangers,
    long joined,
    long admitted,
    double waitedP50,
    double waitedP99,
    long botsHolds,
    long inversions,
    String p8,
    List<String> violations,
    long unfinished,
    long repeated) {
  private static final int SOLD_PERCENT_MIN = 95;

  /// Whoever was admitted later than somebody behind, and whoever was not admitted and still waited
  /// when somebody behind was.
  private static final String INVERSIONS =
      """
      SELECT (SELECT count(*)
                FROM (SELECT admitted_at,
                             min(admitted_at) OVER (ORDER BY place DESC
                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS behind
                        FROM admission WHERE pool = asked.pool) AS a
               WHERE admitted_at > behind)
           + (SELECT count(*) FROM ticket t
               WHERE t.pool = asked.pool
                 AND NOT EXISTS (SELECT 1 FROM admission a
                                  WHERE a.pool = t.pool AND a.number = t.number)
                 AND EXISTS (SELECT 1 FROM admission a
                              WHERE a.pool = t.pool AND a.place > t.place
                                AND a.admitted_at < coalesce(t.ended_at, 'infinity')))
        FROM (SELECT ?::text AS pool) AS asked
      """;

  private static final String SOLD =
      "SELECT count(*) FROM commitment WHERE pool = ? AND voided_at IS NULL";

  private static final String STRANGERS =
      """
      SELECT count(*) FROM commitment c
       WHERE c.pool = ? AND c.voided_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM admission a
                          WHERE a.pool = c.pool AND a.caller = c.caller
                            AND a.requester = c.requester AND a.admitted_at < c.committed_at)
      """;

  private static final String WAITED =
      """
      SELECT coalesce(percentile_cont(?) WITHIN GROUP (
                        ORDER BY extract(epoch FROM a.admitted_at - t.joined_at)), 0)
        FROM admission a JOIN ticket t ON t.pool = a.pool AND t.number = a.number
       WHERE a.pool = ?
      """;

  /// @param visits all of them, with their ends
  static OnSaleReport of(
      OnSalePlan plan,
      Duration took,
      List<OnSale.Ended> visits,
      OnSaleClient client,
      Api api,
      Rows rows) {
    var pool = client.pool();
    var ends = new TreeMap<Visit.End, Long>();
    visits.forEach(visit -> ends.merge(visit.end(), 1L, Long::sum));
    var bots =
        visits.stream()
            .filter(visit -> visit.visitor().behaviour() == Visitor.Behaviour.BOT)
            .mapToLong(OnSale.Ended::holds)
            .sum();
    var violations = new ArrayList<String>();
    var p8 = "not checked by this auditor";
    for (var check : Http.json(api.get("/v1/audit/report")).get("checks")) {
      var id = check.get("id").asText();
      var found = check.get("violations").asLong();
      if (found > 0) {
        violations.add(id + ": " + found);
      }
      if (id.equals("P8")) {
        p8 = found + " violations";
      }
    }
    return new OnSaleReport(
        plan,
        took,
        ends,
        rows.number(SOLD, pool),
        rows.number(STRANGERS, pool),
        rows.number("SELECT count(*) FROM ticket WHERE pool = ?", pool),
        rows.number("SELECT count(*) FROM admission WHERE pool = ?", pool),
        Double.parseDouble(rows.texts(WAITED, 0.5, pool).getFirst()),
        Double.parseDouble(rows.texts(WAITED, 0.99, pool).getFirst()),
        bots,
        rows.number(INVERSIONS, pool),
        p8,
        violations,
        ends.getOrDefault(Visit.End.UNFINISHED, 0L),
        client.repeated());
  }

  /// Of the seats, sold to people who were admitted.
  public double soldShare() {
    return (double) (sold - strangers) / plan.size().seats();
  }

  /// The limits that were missed, a sentence each.
  public List<String> misses() {
    var misses = new ArrayList<String>();
    var seats = plan.size().seats();
    if (sold * 100 < (long) seats * SOLD_PERCENT_MIN || sold > seats) {
      misses.add("%d of %d seats were sold".formatted(sold, seats));
    }
    if (strangers > 0) {
      misses.add("%d seats were sold to somebody who was not admitted".formatted(strangers));
    }
    if (inversions > 0) {
      misses.add("%d people were overtaken".formatted(inversions));
    }
    if (botsHolds == 0) {
      misses.add("no bot has placed a hold");
    }
    if (joined != plan.size().people()) {
      misses.add("%d tickets are on record".formatted(joined));
    }
    if (!violations.isEmpty()) {
      misses.add("the auditor found " + violations);
    }
    if (unfinished > 0) {
      misses.add("%d visits did not end".formatted(unfinished));
    }
    return misses;
  }

  @Override
  public String toString() {
    return """
    seed                 %d
    plan                 %s
    people, seats        %d, %d
    took                 %.1f s
    sold                 %d (%.1f %%)
    sold to strangers    %d
    admitted             %d of %d tickets
    waited p50, p99      %.1f s, %.1f s
    bots, their holds    %d, %d
    inversions           %d
    P8 of the audit      %s
    audit violations     %s
    visits               %s
    calls sent again     %d
    limits missed        %s
    """
        .formatted(
            plan.seed(),
            plan.digest(),
            plan.size().people(),
            plan.size().seats(),
            took.toMillis() / 1000.0,
            sold,
            100.0 * sold / plan.size().seats(),
            strangers,
            admitted,
            joined,
            waitedP50,
            waitedP99,
            plan.count(Visitor.Behaviour.BOT),
            botsHolds,
            inversions,
            p8,
            violations.isEmpty() ? "none" : violations,
            ends,
            repeated,
            misses().isEmpty() ? "none" : misses());
  }
}
