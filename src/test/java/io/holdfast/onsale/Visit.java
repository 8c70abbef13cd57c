package io.holdfast.onsale;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// What one person does, from joining the queue to the end. Runs in a thread of its own.
final class Visit {

  /// How a visit ends.
  enum End {
    BOUGHT,
    DROPPED,
    LEFT,
    ABSENT,
    SOLD_OUT,
    /// The pass ended before the person had what it wanted.
    EXPIRED,
    /// Nothing of the above until the end of the simulation.
    UNFINISHED
  }

  private static final Duration LOOK_MIN = Duration.ofMillis(300);
  private static final Duration RETRY = Duration.ofMillis(400);

  /// A person looks again after this time for each place in the queue.
  private static final Duration LOOK_A_PLACE = Duration.ofMillis(10);

  private static final int LOOKS_A_GRACE = 4;
  private static final int BOT_HOLDS_MAX = 5;

  private final Visitor visitor;
  private final OnSalePlan.Size size;
  private final OnSaleClient client;
  private final Instant end;
  private int holds;

  Visit(Visitor visitor, OnSalePlan.Size size, OnSaleClient client, Instant opening) {
    this.visitor = visitor;
    this.size = size;
    this.client = client;
    this.end = opening.plus(size.end());
  }

  Visitor visitor() {
    return visitor;
  }

  int holds() {
    return holds;
  }

  End run() throws InterruptedException {
    var ticket = client.join(visitor.requester());
    var joined = Instant.now();
    if (visitor.behaviour() == Visitor.Behaviour.ABSENTEE) {
      return End.ABSENT;
    }
    while (Instant.now().isBefore(end)) {
      var seen = client.look(ticket);
      switch (seen.get("state").asText()) {
        case "WAITING" -> {
          if (wantsToLeave(joined)) {
            client.leave(ticket);
            return End.LEFT;
          }
          Thread.sleep(pause(seen));
        }
        case "ADMITTED" -> {
          return inside(seen.get("pass").asText());
        }
        case "SOLD_OUT" -> {
          return End.SOLD_OUT;
        }
        default -> {
          return End.EXPIRED;
        }
      }
    }
    return End.UNFINISHED;
  }

  private boolean wantsToLeave(Instant joined) {
    return visitor.behaviour() == Visitor.Behaviour.LEAVER
        && Instant.now().isAfter(joined.plus(visitor.patience()));
  }

  /// Who is far behind looks rarely, but often enough to keep the place.
  private Duration pause(JsonNode seen) {
    var byPlace = LOOK_A_PLACE.multipliedBy(seen.get("position").asLong());
    var max = size.grace().dividedBy(LOOKS_A_GRACE);
    var pause = byPlace.compareTo(max) < 0 ? byPlace : max;
    return pause.compareTo(LOOK_MIN) < 0 ? LOOK_MIN : pause;
  }

  private End inside(String pass) throws InterruptedException {
    Thread.sleep(visitor.thinking());
    while (Instant.now().isBefore(end)) {
      var placed = place(pass);
      var refusal = placed.statusCode() == 201 ? null : Http.json(placed).path("code").asText();
      if (refusal == null) {
        holds++;
        var ended = withHold(placed);
        if (ended.isPresent()) {
          return ended.get();
        }
      } else if (refusal.equals("not-admitted")) {
        return End.EXPIRED;
      } else if (client.isSoldOut()) {
        return End.SOLD_OUT;
      }
      Thread.sleep(RETRY); // all that is free is held by others
    }
    return End.UNFINISHED;
  }

  /// One seat if there are no two side by side.
  private HttpResponse<String> place(String pass) {
    var placed = client.hold(visitor.requester(), pass, visitor.seats());
    return placed.statusCode() == 409 && visitor.seats() > 1
        ? client.hold(visitor.requester(), pass, 1)
        : placed;
  }

  /// Empty if the person goes on.
  private Optional<End> withHold(HttpResponse<String> placed) throws InterruptedException {
    var hold = Hold.of(placed);
    var requester = visitor.requester();
    return switch (visitor.behaviour()) {
      case CONFIRMER, LEAVER -> {
        Thread.sleep(visitor.thinking());
        yield bought(client.confirm(hold, requester));
      }
      case PAYER -> {
        Thread.sleep(visitor.thinking());
        var seats = Http.json(placed).get("items").size();
        yield bought(client.pay(hold, requester, (long) seats * Checkouts.PRICE));
      }
      case DROPPER -> {
        Thread.sleep(visitor.thinking());
        client.release(hold, requester);
        yield Optional.of(End.DROPPED);
      }
      case BOT -> {
        Thread.sleep(client.lease().plus(RETRY));
        yield holds < BOT_HOLDS_MAX ? Optional.empty() : Optional.of(End.DROPPED);
      }
      case ABSENTEE -> throw new IllegalStateException("never looks");
    };
  }

  /// A hold that has lapsed on a busy machine is placed again.
  private static Optional<End> bought(HttpResponse<String> answer) {
    return answer.statusCode() == 200 ? Optional.of(End.BOUGHT) : Optional.empty();
  }
}
