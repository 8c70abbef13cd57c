package io.holdfast.hold.seatsearch;

import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.HeldAdjacent;
import io.holdfast.hold.HoldOutcome.SearchOn;
import io.holdfast.hold.HoldOutcome.SeatsSeen;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.PlaceHoldBody;
import io.holdfast.hold.seatsearch.SeatSection.Candidates;
import io.holdfast.hold.seatsearch.SeatSection.Part;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.StoredOutcome.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// One search for adjacent seats, usually one script call. A call that finds none returns which of
/// its seats are taken and which seats became free, so the next call tries other seats. When no
/// candidates are left, a last call asks the script to refuse; the script does so only if no seat
/// became free in the meantime.
public final class AdjacentSeatSearch {
  /// About 0.7 ms of Redis.
  public static final int SEATS_MAX = 256;

  private static final int SEATS_AT_FIRST = 8;
  private static final int SEATS_GROWTH = 4;

  /// Calls with more seats than this are walks. Only one walk per pool runs at a time.
  private static final int WALK_SEATS_MIN = 32;

  /// A search that has read each seat this often is refused as overload.
  private static final int READS_MAX = 2;

  private static final int CALLS_SPARE = 64;
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /// Of a search with all its calls, including the time it waits for a walk.
  private static final Duration TIME_MAX = Duration.ofSeconds(10);

  private final HoldService holds;
  private final IdempotentRequest call;
  private final PlaceHoldBody body;
  private final SeatPlan plan;
  private final SeatSection section;
  private final SeatKnowledge knowledge;
  private final int callsMax;

  private final long since = System.nanoTime();
  private int calls;
  private int seats = SEATS_AT_FIRST;
  private boolean isShared;

  AdjacentSeatSearch(
      HoldService holds,
      IdempotentRequest call,
      PlaceHoldBody body,
      SeatPlan plan,
      SeatSection section) {
    this.holds = holds;
    this.call = call;
    this.body = body;
    this.plan = plan;
    this.section = section;
    this.knowledge = plan.knowledge();
    this.callsMax = CALLS_SPARE + READS_MAX * plan.size() / SEATS_MAX;
  }

  /// The arguments of a call that depend on the search.
  ///
  /// @param known the state up to which freed seats are known
  /// @param manner GOOD, ANY or LAST, as the script defines them
  /// @param seats the number of seats in all parts
  public record Question(String known, String manner, List<String> parts, int seats) {}

  CompletionStage<HoldOutcome> next() {
    if (calls == callsMax || System.nanoTime() - since > TIME_MAX.toNanos()) {
      return CompletableFuture.completedStage(new Shed(PAUSE));
    }
    var candidates = section.candidates(body.best(), seats, isShared);
    var isWalk = candidates.seats() > WALK_SEATS_MIN;
    var other = isWalk ? knowledge.beginWalk() : null;
    if (other != null) {
      section.release(candidates);
      return other.thenCompose(_ -> next());
    }
    CompletionStage<HoldOutcome> sent;
    try {
      sent = send(candidates);
    } catch (RuntimeException e) { // the walk has to end in any case
      sent = CompletableFuture.failedStage(e);
    }
    return sent.thenApply(outcome -> learn(outcome, candidates.parts()))
        .whenComplete((_, _) -> end(candidates, isWalk))
        .thenCompose(
            outcome ->
                outcome instanceof SearchOn ? next() : CompletableFuture.completedStage(outcome));
  }

  private CompletionStage<HoldOutcome> send(Candidates candidates) {
    calls++;
    seats = Math.min(SEATS_MAX, SEATS_GROWTH * seats);
    var parts = candidates.parts().stream().map(this::text).toList();
    var question = new Question(candidates.known(), candidates.manner(), parts, candidates.seats());
    return holds.best(call, body, question);
  }

  private void end(Candidates candidates, boolean isWalk) {
    section.release(candidates);
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

  private HoldOutcome learn(HoldOutcome outcome, List<Part> parts) {
    return switch (outcome) {
      case SearchOn(var seen) -> {
        // Seats reserved for other calls look taken here but are free to the script. A search that
        // learns nothing because of that includes them from now on.
        isShared |= !learn(seen, parts, List.of());
        yield outcome;
      }
      case HeldAdjacent(var hold, var seen) -> {
        learn(seen, parts, hold.items().stream().map(ItemId::value).toList());
        yield new Decided(new Held(hold));
      }
      case HoldOutcome other -> other;
    };
  }

  private boolean learn(SeatsSeen seen, List<Part> parts, List<String> held) {
    var ranges = new ArrayList<SeatKnowledge.Range>(seen.bits().size());
    for (var i = 0; i < seen.bits().size(); i++) {
      ranges.add(new SeatKnowledge.Range(parts.get(i).from(), seen.bits().get(i)));
    }
    return knowledge.learn(new SeatKnowledge.Update(seen.state(), seen.freed(), ranges, held));
  }
}
