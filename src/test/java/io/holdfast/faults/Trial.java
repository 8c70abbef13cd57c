package io.holdfast.faults;

import io.holdfast.faults.KillCase.Victim;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Runs one case, from the hold to the checks after recovery. Two other clients buy at the same
/// time and are hit at arbitrary moments.
final class Trial {
  private static final Duration END_MAX = Duration.ofSeconds(60);

  /// Limit for the settlement in Redis.
  private static final Duration TOLD_MAX = Duration.ofSeconds(20);

  private static final Duration TAKEOVER_MAX = Duration.ofSeconds(10);

  /// A stall of a second moves the checkout to the instance without a trap.
  private static final int ATTEMPTS = 4;

  private final Rig rig;
  private final KillCase kill;
  private final List<String> faults = new ArrayList<>();

  Trial(Rig rig, KillCase kill) {
    this.rig = rig;
    this.kill = kill;
  }

  /// @param end the final state of the checkout that the trap was set for
  record Verdict(KillCase kill, String end, Duration took, List<String> faults) {
    boolean isGood() {
      return faults.isEmpty();
    }

    @Override
    public String toString() {
      return "%s  %-11s after %4.1f s%s"
          .formatted(
              kill,
              end,
              took.toMillis() / 1000.0,
              isGood() ? "" : "  FAILED: " + String.join("; ", faults));
    }
  }

  Verdict run() {
    for (var attempt = 0; attempt < ATTEMPTS; attempt++) {
      rig.awaitCalm();
      var buyer = Buyer.of(rig, kill.method());
      var others = List.of(Buyer.of(rig, "ok"), Buyer.of(rig, "fail-fulfil"));
      rig.trap().lay(buyer.hold().id(), kill.moment(), rig.targets(kill.victim()));
      var clients = new ArrayList<Thread>();
      clients.add(Thread.startVirtualThread(kill.retries() ? buyer::payPatiently : buyer::payOnce));
      others.forEach(other -> clients.add(Thread.startVirtualThread(other::payPatiently)));
      Await.comesTrue(
          END_MAX, () -> !rig.trap().isLaid() || !clients.getFirst().isAlive() && isOver(buyer));
      if (!rig.trap().takeAway()) {
        return judged(buyer, others, clients);
      }
      clients.forEach(Trial::join);
    }
    faults.add("it never came to this moment");
    return new Verdict(kill, "?", Duration.ZERO, faults);
  }

  private boolean isOver(Buyer buyer) {
    return Stream.of("FORWARD", "COMPENSATING").noneMatch(phase(buyer)::equals);
  }

  private Verdict judged(Buyer buyer, List<Buyer> others, List<Thread> clients) {
    var since = System.nanoTime();
    rig.restart(kill.victim());
    var all = Stream.concat(Stream.of(buyer), others.stream()).toList();
    var hasEnded = Await.comesTrue(END_MAX, () -> isOver(buyer));
    var took = Duration.ofNanos(System.nanoTime() - since);
    if (kill.victim() == Victim.SERVICE && took.compareTo(TAKEOVER_MAX) > 0) {
      faults.add("the other instance was not done within " + TAKEOVER_MAX);
    }
    clients.forEach(Trial::join);
    if (kill.victim() == Victim.NOBODY) {
      var isAwake = since + Trap.STANDSTILL.plusSeconds(1).toNanos();
      Await.until(Trap.STANDSTILL.multipliedBy(2), () -> System.nanoTime() > isAwake);
    }
    if (!hasEnded || !Await.comesTrue(END_MAX, () -> others.stream().allMatch(this::isOver))) {
      faults.add("half done after " + END_MAX);
    }
    for (var each : all) {
      judge(each);
    }
    if (!Await.comesTrue(patience(), () -> rig.newViolations().isEmpty())) {
      faults.add("the auditor finds " + rig.newViolations());
      rig.forgive();
    }
    return new Verdict(kill, phase(buyer), took, faults);
  }

  /// Checks for each buyer that the payment matches the sale.
  private void judge(Buyer buyer) {
    var phase = phase(buyer);
    var rows = rig.rows();
    var id =
        text(
            rows,
            "SELECT checkout_id FROM checkout WHERE hold_id = ? ORDER BY created_at DESC LIMIT 1",
            buyer.hold().id());
    var money =
        text(
            rows,
            "SELECT coalesce(captured_cents, 0) - refunded_cents FROM simulated_payment"
                + " WHERE payment_id = ?",
            id);
    var seats =
        text(
            rows,
            "SELECT coalesce(sum(price_cents), 0) FROM commitment"
                + " WHERE order_id = ? AND voided_at IS NULL",
            id);
    var before = faults.size();
    var worth =
        switch (phase) {
          case "DONE" -> Rig.PRICE;
          case "COMPENSATED" -> 0;
          default -> {
            faults.add(id + " ends as " + phase);
            yield 0;
          }
        };
    if (Long.parseLong("0" + money) != worth || Long.parseLong(seats) != worth) {
      faults.add("%s is %s with money %s and seats %s".formatted(id, phase, money, seats));
    }
    if (buyer.checkoutIds().stream().anyMatch(seen -> !seen.equals(id))) {
      faults.add(id + " was shown to its client as " + String.join(", ", buyer.checkoutIds()));
    }
    faults.addAll(buyer.oddities());
    if (isHeldWithoutPayment(buyer, phase)) {
      var again = buyer.withAnotherCard();
      again.payPatiently();
      judge(again);
    } else if (!Await.comesTrue(patience(), () -> isSeatAsItShouldBe(buyer, phase))) {
      faults.add(
          "%s is %s, and its seat is %s"
              .formatted(id, phase, rig.keeperApi().stateOf(Rig.POOL, buyer.seat())));
    }
    if (faults.size() > before) {
      faults.add("its log: " + log(rows, id));
    }
  }

  /// After a declined card, if Redis has kept the hold.
  private boolean isHeldWithoutPayment(Buyer buyer, String phase) {
    var hold = Http.json(rig.keeperApi().read(buyer.hold().id()));
    return phase.equals("COMPENSATED") && hold.path("state").asText().equals("HELD");
  }

  /// Skips the wait after a failure.
  private Duration patience() {
    return faults.isEmpty() ? TOLD_MAX : Duration.ofSeconds(1);
  }

  /// The seat is sold, or free for others, possibly after its hold has ended.
  private boolean isSeatAsItShouldBe(Buyer buyer, String phase) {
    var api = rig.keeperApi();
    if (phase.equals("DONE")) {
      return Http.json(api.read(buyer.hold().id())).get("state").asText().equals("CONFIRMED")
          && api.place(Rig.POOL, Api.token(), "other", buyer.seat()).statusCode() == 409;
    }
    api.release(buyer.hold().id(), Api.token(), buyer.requester());
    return api.place(Rig.POOL, Api.token(), "next-" + buyer.seat(), buyer.seat()).statusCode()
        == 201;
  }

  private String phase(Buyer buyer) {
    return text(
        rig.rows(),
        "SELECT phase FROM checkout WHERE hold_id = ? ORDER BY created_at DESC LIMIT 1",
        buyer.hold().id());
  }

  private static String log(Rows rows, String id) {
    return String.join(
        ", ",
        rows.texts(
            "SELECT lease_no || ' ' || coalesce(step, '') || ' ' || event || ' ' || detail"
                + " FROM checkout_log WHERE checkout_id = ? ORDER BY id",
            id));
  }

  private static String text(Rows rows, String sql, String id) {
    return rows.texts(sql, id).stream().findFirst().orElse("");
  }

  private static void join(Thread client) {
    try {
      client.join(RetryingClient.PATIENCE.multipliedBy(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
