package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Compensating;
import io.holdfast.hold.HoldOutcome.Confirmed;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Elapsed;
import io.holdfast.hold.HoldOutcome.Elsewhere;
import io.holdfast.hold.HoldOutcome.Expired;
import io.holdfast.hold.HoldOutcome.Extended;
import io.holdfast.hold.HoldOutcome.Full;
import io.holdfast.hold.HoldOutcome.Held;
import io.holdfast.hold.HoldOutcome.Invalid;
import io.holdfast.hold.HoldOutcome.Limit;
import io.holdfast.hold.HoldOutcome.NoSuchItem;
import io.holdfast.hold.HoldOutcome.NonceConsumed;
import io.holdfast.hold.HoldOutcome.NonceUnbound;
import io.holdfast.hold.HoldOutcome.NotHeld;
import io.holdfast.hold.HoldOutcome.NotKnown;
import io.holdfast.hold.HoldOutcome.Pinned;
import io.holdfast.hold.HoldOutcome.Pinning;
import io.holdfast.hold.HoldOutcome.Recollected;
import io.holdfast.hold.HoldOutcome.Released;
import io.holdfast.hold.HoldOutcome.ReplayDuplicate;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.hold.HoldOutcome.Same;
import io.holdfast.hold.HoldOutcome.Seen;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldOutcome.StaleFence;
import io.holdfast.hold.HoldOutcome.Stands;
import io.holdfast.hold.HoldOutcome.Taken;
import io.holdfast.hold.HoldOutcome.WindowNotElapsed;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;

/// What each outcome is over HTTP. Nothing but the outcome, the pool and the hold's id has a say,
/// so a replay is answered with the bytes of the first answer.
public final class HoldResponses {
  private static final String RETRY_AFTER = "Retry-After";
  private static final String SOON_SECONDS = "1";

  private HoldResponses() {}

  public static MutableHttpResponse<?> of(Pool pool, TokenOutcome decision) {
    var answer = of(pool, decision.outcome());
    return decision.isReplay() ? answer.header(IdempotencyHttp.REPLAYED, "true") : answer;
  }

  public static MutableHttpResponse<byte[]> json(HttpStatus status, byte[] body) {
    return HttpResponse.<byte[]>status(status)
        .body(body)
        .contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  static MutableHttpResponse<Problem> problem(Problem problem) {
    return HttpResponse.<Problem>status(HttpStatus.valueOf(problem.status()))
        .body(problem)
        .contentType(Problem.MEDIA_TYPE);
  }

  static MutableHttpResponse<Problem> unknownHold() {
    return refused(HttpStatus.NOT_FOUND, "not-known", "There is no such hold.");
  }

  private static MutableHttpResponse<?> of(Pool pool, HoldOutcome outcome) {
    return switch (outcome) {
      case Held(var hold) -> placed(HttpStatus.CREATED, pool, hold);
      case Same(var hold) -> placed(HttpStatus.OK, pool, hold);
      case Released(var hold) -> json(HttpStatus.OK, HoldJson.of(pool, hold));
      case Expired(var hold) -> json(HttpStatus.OK, HoldJson.of(pool, hold));
      case Confirmed(var hold) -> json(HttpStatus.OK, HoldJson.of(pool, hold));
      case Extended(var hold) -> json(HttpStatus.OK, HoldJson.ofHeartbeat(pool, hold));
      case Taken(var items) ->
          problem(
              Problem.refused(
                      HttpStatus.CONFLICT,
                      "resource-unavailable",
                      items.isEmpty()
                          ? "There are not so many free seats side by side; ask for fewer or"
                              + " elsewhere, under a fresh token."
                          : "Somebody else has an item of these; choose others, under a fresh"
                              + " token.")
                  .naming(items));
      case NoSuchItem(var items) ->
          problem(Problem.invalid("items", "The pool has no such item.").naming(items));
      case Limit(var most) ->
          refused(
                  HttpStatus.TOO_MANY_REQUESTS,
                  "hold-limit",
                  "The requester has %d holds here, as many as anybody may have; release one, then ask under a fresh token."
                      .formatted(most))
              .header(RETRY_AFTER, SOON_SECONDS);
      case Invalid(var field, var sentence) -> problem(Problem.invalid(field, sentence));
      case NotHeld() ->
          refused(
              HttpStatus.CONFLICT,
              "not-held",
              "The hold has ended, or it is another requester's; place a new one if the items are"
                  + " free.");
      case NotKnown(), Absent() -> unknownHold();
      case WindowNotElapsed() ->
          refused(
              HttpStatus.CONFLICT,
              "window-not-elapsed",
              "The hold's time is not over; wait, or send force: true under a fresh token.");
      case Elapsed() ->
          refused(
              HttpStatus.GONE,
              "window-elapsed",
              "The hold's time ran out; place a new one if the items are free.");
      case StaleFence() ->
          refused(
              HttpStatus.CONFLICT,
              "stale-fence",
              "The hold has another fence; whoever sent this one holds nothing.");
      case ReplayDuplicate() ->
          refused(
              HttpStatus.CONFLICT,
              "replay-duplicate",
              "What this logicalKey stands for was done before, for another order or another hold;"
                  + " look at it by GET /v1/operations, and use a key of its own for a new"
                  + " purchase.");
      case NonceUnbound() ->
          refused(
              HttpStatus.FORBIDDEN,
              "nonce-unbound",
              "The pool asks for a nonce, and this is none for this hold and this moment; get one"
                  + " by POST /v1/authorizations, and ask under a fresh token.");
      case NonceConsumed() ->
          refused(
              HttpStatus.FORBIDDEN,
              "nonce-consumed",
              "The nonce was used before; get another, and ask under a fresh token.");
      case Compensating() ->
          refused(
              HttpStatus.CONFLICT,
              "compensating",
              "The sale did not stand up to a second look and will be undone; nothing can be sold"
                  + " under this logicalKey any more.");
      case Running() ->
          problem(
                  Problem.pending(
                      "attempt-collision",
                      "Another call under this token, or on this hold, has not ended yet; ask"
                          + " again with the same token."))
              .header(RETRY_AFTER, SOON_SECONDS);
      case Collision() -> problem(Problem.collision());
      case Drift(var function) ->
          away(
              new Away(
                  true, "The token was recorded by a version with digest function " + function));
      case Full() -> away(new Away(true, "The journal is full"));
      case Away away -> away(away);
      case Shed(var retryAfter) ->
          problem(Problem.overloaded()).header(RETRY_AFTER, Problem.seconds(retryAfter));
      case Seen _, Stands _, Pinning _, Pinned _, Recollected _, Elsewhere _ ->
          throw new IllegalStateException("no answer by itself: " + outcome);
    };
  }

  private static MutableHttpResponse<?> placed(HttpStatus status, Pool pool, HoldRecord hold) {
    return json(status, HoldJson.of(pool, hold))
        .header("Location", "/v1/holds/" + hold.id(pool.name()));
  }

  private static MutableHttpResponse<Problem> refused(
      HttpStatus status, String code, String detail) {
    return problem(Problem.refused(status, code, detail));
  }

  static MutableHttpResponse<Problem> away(Away away) {
    var next =
        away.definite()
            ? "; nothing was done, ask again with the same token."
            : "; it may have been done, and the same token sent again tells.";
    return problem(Problem.unavailable(away.definite(), away.why() + next))
        .header(RETRY_AFTER, SOON_SECONDS);
  }
}
