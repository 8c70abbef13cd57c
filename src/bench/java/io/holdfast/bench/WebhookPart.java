package io.holdfast.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Deliveries to a receiver on this machine, alone and beside one that takes a second for each of
/// its answers. Events that carry their data are taken down in many pools; they are numbered,
/// sealed, opened, signed and noted while the clock runs.
final class WebhookPart {
  private static final int POOLS = 32;
  private static final int EVENTS = 10_000;
  private static final int WARM_UP = 2;
  private static final Duration SLOW = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String TAKE_DOWN =
      """
      INSERT INTO event_fresh (pool, type, subject, data)
      SELECT 'hooks-' || i %% %d, 'hold.confirmed', 'hold-' || i,
             '{"schemaVersion":"1.0.0","hold":{"holdId":"hold-' || i || '","pool":"hooks-' || i %% %d
             || '","state":"CONFIRMED","fence":4294967297,"caller":"bench","requester":'
             || '{"__personal":["bench","u' || i || '"],"value":"u' || i || '"}},'
             || '"items":[{"item":"A-1","priceCents":5000}],"totalCents":5000,"currency":"EUR",'
             || '"order":{"orderId":"order-' || i || '","commitmentId":"cm","logicalKey":null}}'
        FROM generate_series(1, %d) AS i
      """
          .formatted(POOLS, POOLS, EVENTS);

  private final Plan plan;

  WebhookPart(Plan plan) {
    this.plan = plan;
  }

  /// Deliveries a second, a figure for each round.
  record Told(double[] alone, double[] besideSlow) {}

  Told run() {
    try (var service = ServiceProcess.start();
        var fast = Receiver.taking(Duration.ZERO);
        var slow = Receiver.taking(SLOW)) {
      var operator = new Operator(service.http());
      operator.register(fast.url());
      for (int i = 0; i < WARM_UP; i++) {
        Progress.say("warm-up: %.0f deliveries/s", round(service.database(), fast));
      }
      var alone = rounds("alone", service.database(), fast);
      operator.register(slow.url());
      var beside = rounds("beside a slow receiver", service.database(), fast);
      Progress.say("the slow receiver has taken %d", slow.count());
      return new Told(alone, beside);
    }
  }

  private double[] rounds(String how, Database database, Receiver fast) {
    List<Double> speeds = new ArrayList<>();
    for (int i = 0; i < plan.rounds(); i++) {
      var speed = round(database, fast);
      Progress.say("%s, round %d: %.0f deliveries/s", how, i + 1, speed);
      speeds.add(speed);
    }
    return speeds.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /// From the commit of the events to the last delivery.
  private static double round(Database database, Receiver fast) {
    var before = fast.count();
    database.run(TAKE_DOWN);
    var took =
        Waiting.until(PATIENCE, "all events are delivered", () -> fast.count() >= before + EVENTS);
    return EVENTS / (took.toNanos() / 1e9);
  }
}
