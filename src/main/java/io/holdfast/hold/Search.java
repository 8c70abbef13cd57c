package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Elsewhere;
import io.holdfast.hold.HoldOutcome.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// One search for seats side by side: as a rule one call. Only where nothing is found are more
/// seats shown, then all rows, then those where a seat would be left alone; and only then is it
/// told that there is nothing.
final class Search {
  private static final int SEATS_AT_FIRST = 8;
  private static final int SEATS_OF_ALL_AT_FIRST = 128;
  private static final int SEATS_MAX = 512;
  private static final int OFFERS_MAX = 4;

  private final HoldDesk desk;
  private final TokenCall call;
  private final Wish wish;
  private final Stand stand;
  private final List<Integer> tight = new ArrayList<>();

  private Pass pass = Pass.OFFERED;
  private int offers;
  private int row;
  private int budget = SEATS_AT_FIRST;
  private @Nullable String state;
  private boolean isCalm = true;

  Search(HoldDesk desk, TokenCall call, Wish wish, Stand stand) {
    this.desk = desk;
    this.call = call;
    this.wish = wish;
    this.stand = stand;
  }

  /// What is looked at, one after the other.
  private enum Pass {
    /// what should be free
    OFFERED,
    /// all of it
    WHOLE,
    /// where a seat would be left alone
    TIGHT,
    /// nothing any more
    OVER
  }

  /// What the script is asked.
  ///
  /// @param manner as it calls it
  record Ask(String manner, List<String> parts) {}

  CompletionStage<Decision> next() {
    var offer = offer();
    if (offer.parts().isEmpty() && pass != Pass.OVER) {
      pass = Pass.values()[pass.ordinal() + 1];
      row = 0;
      budget = SEATS_OF_ALL_AT_FIRST;
      return next();
    }
    var ask = new Ask(manner(), offer.parts().stream().map(this::text).toList());
    return desk.best(call, wish, ask, reply -> read(reply, offer.parts()))
        .whenComplete((_, _) -> stand.takeBack(offer))
        .thenCompose(
            decision ->
                decision.outcome() instanceof Elsewhere
                    ? next()
                    : CompletableFuture.completedStage(decision));
  }

  private String manner() {
    return switch (pass) {
      case OFFERED, WHOLE -> state == null ? stand.lastNothing(wish.best()) : "WELL";
      case TIGHT -> "ANY";
      case OVER -> "LAST";
    };
  }

  /// As much as the next call is to look at.
  private Offer offer() {
    var seats = budget;
    budget = Math.min(SEATS_MAX, 4 * budget);
    return switch (pass) {
      case OFFERED -> offers++ < OFFERS_MAX ? stand.offer(wish.best(), seats) : Offer.NONE;
      case WHOLE, TIGHT -> Offer.of(rows(seats));
      case OVER -> Offer.NONE;
    };
  }

  private List<Part> rows(int seatsMax) {
    var parts = new ArrayList<Part>();
    var seats = 0;
    for (; seats < seatsMax && row < (pass == Pass.TIGHT ? tight.size() : stand.size()); row++) {
      var number = pass == Pass.TIGHT ? tight.get(row) : row;
      var size = stand.seats(number).size();
      if (size >= wish.best()) {
        parts.add(new Part(number, 0, size));
        seats += size;
      }
    }
    return parts;
  }

  private String text(Part part) {
    var seats = stand.seats(part.row());
    var isOpen = part.until() < seats.size();
    return (isOpen ? ">" : "|") + String.join("\n", seats.subList(part.from(), part.until()));
  }

  private Decision read(List<Object> reply, List<Part> parts) {
    var word = (String) reply.getFirst();
    if (word.equals("NEXT")) {
      learn((String) reply.get(2), parts, null);
      var now = (String) reply.get(1);
      isCalm &= state == null || state.equals(now);
      state = now;
      return Decision.fresh(new Elsewhere());
    }
    var decision = Outcomes.read(reply);
    if (word.equals("HELD") && decision.outcome() instanceof Held(var hold)) {
      learn((String) reply.get(2), parts, hold.items().getFirst().value());
    } else if (word.equals("TAKEN") && state != null && isCalm) {
      stand.sawNothing(wish.best(), state);
    }
    return decision;
  }

  /// @param view of the parts, up to the one that was taken
  /// @param taken the first seat of those, or null
  private void learn(String view, List<Part> parts, @Nullable String taken) {
    if (view.isEmpty()) {
      return;
    }
    var seen = view.split(",");
    for (var i = 0; i < seen.length; i++) {
      var part = parts.get(i);
      var blank = seen[i].indexOf(' ');
      var first = Integer.parseInt(seen[i], 0, blank, 10);
      var free = Integer.parseInt(seen[i], blank + 1, seen[i].length(), 10);
      var chosen = taken == null ? -1 : stand.seats(part.row()).indexOf(taken);
      stand.saw(part, first, free, wish.best(), chosen);
      if (pass == Pass.WHOLE && free >= wish.best()) {
        tight.add(part.row());
      }
    }
  }
}
