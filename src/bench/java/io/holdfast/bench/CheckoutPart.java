package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import io.holdfast.load.Seats;
import java.time.Duration;

/// Measures checkouts with a provider that replies at once against plain sales of the same run, and
/// the time in which one instance resumes the checkouts that a crash left behind.
final class CheckoutPart {
  private static final int CONNECTIONS = Plan.CONNECTIONS.getFirst();
  private static final int A_TURN = 1_500;
  private static final int POOL_ITEMS = 99_000;
  private static final int LEFT = 10_000;
  private static final Duration RESUME_MAX = Duration.ofMinutes(5);

  /// Leaves the checkouts as a process that died directly after their start.
  private static final String LEAVE =
      """
      WITH left_behind AS (
          INSERT INTO checkout (pool, checkout_id, saga, caller, requester, hold_id, fence, provider,
                                method, amount_cents, currency, lease_until, next_at)
          SELECT pool, 'co~' || pool || '~' || lpad(fence::text, 26, '0'), 'checkout', caller,
                 requester, hold_id, fence, 'simulator', 'ok', 5000 * cardinality(items), 'EUR',
                 clock_timestamp(), clock_timestamp()
            FROM hold WHERE state = 'HELD' ORDER BY fence LIMIT %d
          RETURNING pool, checkout_id)
      INSERT INTO checkout_step (pool, checkout_id, ordinal, name, call_id, undo_id, undo)
      SELECT pool, checkout_id, ordinal - 1, name, checkout_id || ':' || name,
             checkout_id || ':' || name || ':undo',
             CASE name WHEN 'fulfil' THEN 'IRREVOCABLE' ELSE 'PLANNED' END
        FROM left_behind
             CROSS JOIN unnest(ARRAY['claim', 'authorise', 'commit', 'capture', 'fulfil'])
                        WITH ORDINALITY AS steps (name, ordinal)
      """;

  /// Does not count the rows, which would cost more than a checkout.
  private static final String ARE_OPEN =
      "SELECT count(*) FROM (SELECT FROM checkout WHERE ended_at IS NULL LIMIT 1) open";

  private final Stage stage;
  private final Plan plan;

  private CheckoutPart(Stage stage, Plan plan) {
    this.stage = stage;
    this.plan = plan;
  }

  /// @param resumeSeconds for all that were left behind
  record Done(Results results, double resumeSeconds) {}

  static Done run(Plan plan) {
    try (var stage = Stage.of(Seats.inOrder(POOL_ITEMS), POOL_ITEMS)) {
      var part = new CheckoutPart(stage, plan);
      return new Done(part.rounds(), part.resumeSeconds());
    }
  }

  private Results rounds() {
    SalePart.warmUp(stage);
    WarmUp.of("checkouts", () -> checkOut(Load.Expected.ANYTHING).perSecond());
    var results = new Results();
    for (int i = 0; i < plan.rounds(); i++) {
      var round = new Results();
      round.add(new Row(Case.CONFIRM, CONNECTIONS), SalePart.sell(stage, plan));
      round.add(new Row(Case.CHECKOUT, CONNECTIONS), checkOut(Case.CHECKOUT.expected()));
      Progress.say(
          "checkouts, round %d: %.0f/s, sales %.0f/s",
          i + 1,
          round.median(new Row(Case.CHECKOUT, CONNECTIONS), Measured::perSecond),
          round.median(new Row(Case.CONFIRM, CONNECTIONS), Measured::perSecond));
      results.addRound(round);
    }
    return results;
  }

  private Measured checkOut(Load.Expected expected) {
    var requests = SalePart.prepared(stage, A_TURN, RequestTexts::checkout);
    var load = Load.counted(requests, expected, CONNECTIONS, requests.size());
    return stage.measure(load).with(stage.drain());
  }

  private double resumeSeconds() {
    SalePart.prepared(stage, LEFT, RequestTexts::checkout);
    Progress.say("leaving %,d checkouts behind", LEFT);
    stage.database().run(LEAVE.formatted(LEFT));
    var time =
        Waiting.until(
            RESUME_MAX, "all checkouts are resumed", () -> stage.database().number(ARE_OPEN) == 0);
    var sold = stage.database().number("SELECT count(*) FROM checkout WHERE phase <> 'DONE'");
    if (sold > 0) {
      throw new IllegalStateException(sold + " checkouts did not come to a good end");
    }
    return time.toMillis() / 1e3;
  }
}
