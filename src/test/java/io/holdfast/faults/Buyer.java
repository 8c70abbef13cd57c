package io.holdfast.faults;

import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RetryingClient;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;

/// A client that pays for a hold and records the responses.
final class Buyer {
  private static final String WAIT = "wait=5";

  private final Rig rig;
  private final Hold hold;
  private final String seat;
  private final String method;
  private final String token = Api.token();
  private final Set<String> checkoutIds = new ConcurrentSkipListSet<>();
  private final Set<String> oddities = new ConcurrentSkipListSet<>();
  private volatile String lastState = "nothing";

  private Buyer(Rig rig, Hold hold, String seat, String method) {
    this.rig = rig;
    this.hold = hold;
    this.seat = seat;
    this.method = method;
  }

  static Buyer of(Rig rig, String method) {
    var seat = rig.nextSeat();
    var token = Api.token();
    var placed =
        RetryingClient.decided(
            () -> rig.watchedApi().place(Rig.POOL, token, "buyer-" + seat, seat));
    return new Buyer(rig, Hold.of(placed), seat, method);
  }

  /// The same buyer with the same hold, a card that works, and another token.
  Buyer withAnotherCard() {
    return new Buyer(rig, hold, seat, "ok");
  }

  Hold hold() {
    return hold;
  }

  String seat() {
    return seat;
  }

  String requester() {
    return "buyer-" + seat;
  }

  Set<String> checkoutIds() {
    return checkoutIds;
  }

  Set<String> oddities() {
    return oddities;
  }

  String lastState() {
    return lastState;
  }

  /// Sends the request once and ignores the outcome.
  void payOnce() {
    try {
      note(begin(rig.watchedApi()));
    } catch (UncheckedIOException e) {
      lastState = "a lost connection";
    }
  }

  /// Retries with the same token at all running instances until one returns the final state.
  void payPatiently() {
    var isTold = Await.comesTrue(RetryingClient.PATIENCE.multipliedBy(2), this::isTold);
    if (!isTold) {
      oddities.add("the client was never told the end; it last heard " + lastState);
    }
  }

  private boolean isTold() {
    for (var api : rig.apis()) {
      try {
        var answer = begin(api, "Prefer", WAIT);
        note(answer);
        if (answer.statusCode() != 503 && answer.statusCode() != 202) {
          return true;
        }
      } catch (UncheckedIOException e) {
        lastState = "a lost connection";
      }
    }
    return false;
  }

  private HttpResponse<String> begin(Api api, String... more) {
    var body =
        """
        {"holdId":"%s","requester":"%s","fence":%d,
         "payment":{"provider":"simulator","method":"%s","amountCents":%d,"currency":"EUR"}}\
        """
            .formatted(hold.id(), requester(), hold.fence(), method, Rig.PRICE);
    var headers =
        Stream.concat(
                Stream.of("Authorization", "Bearer " + api.key(), "Idempotency-Key", token),
                Stream.of(more))
            .toArray(String[]::new);
    return Http.post(api.base(), "/v1/checkouts", body, headers);
  }

  private void note(HttpResponse<String> answer) {
    var json = Http.json(answer);
    lastState =
        answer.statusCode() + " " + json.path("code").asText() + json.path("state").asText();
    if (json.hasNonNull("checkoutId")) {
      checkoutIds.add(json.get("checkoutId").asText());
    } else if (answer.statusCode() != 503) {
      oddities.add("the client was answered " + answer.statusCode() + " " + answer.body());
    }
  }
}
