package io.holdfast.hold.seatsearch;

import io.holdfast.hold.HoldOutcome.Elsewhere;
import io.holdfast.hold.HoldOutcome.Held;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.OutcomeCodec;
import io.holdfast.hold.PlaceHoldBody;
import io.holdfast.hold.TokenOutcome;
import io.holdfast.hold.seatsearch.SeatSection.Offer;
import io.holdfast.hold.seatsearch.SeatSection.Part;
import io.holdfast.pool.ItemId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// One search for seats side by side: as a rule one call. A call that finds nothing tells which of
/// the seats that it was shown are taken, and which seats have become free, so the next one looks
/// elsewhere. When no seats are left to look at, a last call asks the script to refuse, which it
/// does only if no seat has become free meanwhile.
public final class AdjacentSeatSearch {
  /// About 0.7 ms of Redis.
  public static final int SEATS_MAX = 256;

  private static final int SEATS_AT_FIRST = 8;
  private static final int SEATS_GROWTH = 4;

  /// A call that shows more than these waits until no other one does.
  private static final int SEATS_BESIDE_A_WALK = 32;

  /// A search that sees each seat twice and has not ended gives way to others.
  private static final int LOOKS_MAX = 2;

  private static final int CALLS_SPARE = 64;
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /// Of a search with all its calls, also while it waits for another one.
  private static final Duration TIME_MAX = Duration.ofSeconds(10);

  private final HoldService desk;
  private final IdempotentRequest call;
  private final PlaceHoldBody wish;
  private final SeatPlan plan;
  private final SeatSection section;
  private final SeatKnowledge knowledge;
  private final int callsMax;

  private final long since = System.nanoTime();
  private int calls;
  private int seats = SEATS_AT_FIRST;
  private boolean isShared;

  AdjacentSeatSearch(
      HoldService desk,
      IdempotentRequest call,
      PlaceHoldBody wish,
      SeatPlan plan,
      SeatSection section) {
    this.desk = desk;
    this.call = call;
    this.wish = wish;
    this.plan = plan;
    this.section = section;
    this.knowledge = plan.knowledge();
    this.callsMax = CALLS_SPARE + LOOKS_MAX * plan.size() / SEATS_MAX;
  }

  /// What the script is asked.
  ///
  /// @param known the state up to which it is known what became free
  /// @param manner as the script calls it
  /// @param seats how many are shown
  public record Question(String known, String manner, List<String> parts, int seats) {}

  CompletionStage<TokenOutcome> next() {
    if (calls == callsMax || System.nanoTime() - since > TIME_MAX.toNanos()) {
      return CompletableFuture.completedStage(TokenOutcome.fresh(new Shed(PAUSE)));
    }
    var offer = section.offer(wish.best(), seats, isShared);
    var isWalk = offer.seats() > SEATS_BESIDE_A_WALK;
    var other = isWalk ? knowledge.beginWalk() : null;
    if (other != null) {
      section.takeBack(offer);
      return other.thenCompose(_ -> next());
    }
    CompletionStage<TokenOutcome> asked;
    try {
      asked = ask(offer);
    } catch (RuntimeException e) { // or nobody could walk any more
      asked = CompletableFuture.failedStage(e);
    }
    return asked
        .whenComplete((_, _) -> end(offer, isWalk))
        .thenCompose(
            decision ->
                decision.outcome() instanceof Elsewhere
                    ? next()
                    : CompletableFuture.completedStage(decision));
  }

  private CompletionStage<TokenOutcome> ask(Offer offer) {
    calls++;
    seats = Math.min(SEATS_MAX, SEATS_GROWTH * seats);
    var parts = offer.parts().stream().map(this::text).toList();
    var question = new Question(offer.known(), offer.manner(), parts, offer.seats());
    return desk.best(call, wish, question, reply -> read(reply, offer.parts()));
  }

  private void end(Offer offer, boolean isWalk) {
    section.takeBack(offer);
    if (isWalk) {
      knowledge.endWalk();
    }
  }

  private String text(Part part) {
    var text = new StringBuilder(part.isOpen() ? ">" : "|");
    for (var seat = part.from(); seat < part.until(); seat++) {
      text.append(plan.seat(seat)).append('\n');
    }
    return text.toString();
  }

  /// The outcome, and with some, behind record separators, what was seen: state, freed and bits.
  private TokenOutcome read(String reply, List<Part> parts) {
    var texts = reply.split(OutcomeCodec.SEPARATOR, -1);
    if (texts[0].startsWith("NEXT\t")) {
      // Seats that others should get look taken here and are free to the script. A search that
      // learns nothing because of that no longer leaves them out.
      isShared |= !learn(texts, parts, List.of());
      return TokenOutcome.fresh(new Elsewhere());
    }
    var decision = OutcomeCodec.read(texts[0]);
    if (!decision.isReplay() && decision.outcome() instanceof Held(var hold)) {
      learn(texts, parts, hold.items().stream().map(ItemId::value).toList());
    }
    return decision;
  }

  private boolean learn(String[] texts, List<Part> parts, List<String> held) {
    var bits = texts[3].isEmpty() ? new String[0] : texts[3].split(",");
    var ranges = new ArrayList<SeatKnowledge.Range>(bits.length);
    for (var i = 0; i < bits.length; i++) {
      ranges.add(new SeatKnowledge.Range(parts.get(i).from(), bits[i]));
    }
    return knowledge.learn(new SeatKnowledge.Look(texts[1], texts[2], ranges, held));
  }
}
