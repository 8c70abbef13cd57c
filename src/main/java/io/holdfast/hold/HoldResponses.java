package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Counted;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Extended;
import io.holdfast.hold.HoldOutcome.Full;
import io.holdfast.hold.HoldOutcome.HeldAdjacent;
import io.holdfast.hold.HoldOutcome.HoldsRead;
import io.holdfast.hold.HoldOutcome.PinTried;
import io.holdfast.hold.HoldOutcome.Pinned;
import io.holdfast.hold.HoldOutcome.PoolChanged;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.hold.HoldOutcome.SearchOn;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldOutcome.TicketSeen;
import io.holdfast.hold.HoldOutcome.TokenFound;
import io.holdfast.hold.HoldOutcome.TokenNotFound;
import io.holdfast.hold.HoldOutcome.Unseeded;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.BidTooLow;
import io.holdfast.pool.StoredOutcome.Confirmed;
import io.holdfast.pool.StoredOutcome.Expired;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Invalid;
import io.holdfast.pool.StoredOutcome.ItemLimit;
import io.holdfast.pool.StoredOutcome.Joined;
import io.holdfast.pool.StoredOutcome.Limit;
import io.holdfast.pool.StoredOutcome.NoSuchItem;
import io.holdfast.pool.StoredOutcome.OfTicket;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.StoredOutcome.Released;
import io.holdfast.pool.StoredOutcome.Same;
import io.holdfast.pool.StoredOutcome.SameTicket;
import io.holdfast.pool.StoredOutcome.Taken;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.util.List;

/// Maps outcomes to HTTP responses. A response depends only on the outcome, the pool and the
/// version of its entry, so a replay has the bytes of the first response. A change of the bytes
/// needs a new `EntryVersion`.
public final class HoldResponses {
  private static final String RETRY_AFTER = "Retry-After";
  private static final String SOON_SECONDS = "1";

  private HoldResponses() {}

  /// For a call without a token.
  public static MutableHttpResponse<?> of(Pool pool, HoldOutcome outcome) {
    return of(pool, EntryVersion.NEWEST, outcome);
  }

  public static MutableHttpResponse<?> of(IdempotentRequest call, HoldOutcome outcome) {
    return of(call.pool(), call.version(), outcome);
  }

  private static MutableHttpResponse<?> of(Pool pool, EntryVersion version, HoldOutcome outcome) {
    return switch (outcome) {
      case Decided(var stored, var isReplay) when isReplay ->
          of(pool, version, stored).header(IdempotencyHttp.REPLAYED, "true");
      case Decided(var stored, _) -> of(pool, version, stored);
      case Extended(var hold) -> json(HttpStatus.OK, HoldJson.ofHeartbeat(pool, hold));
      case Absent() -> unknownHold();
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
      case HeldAdjacent _, SearchOn _, PoolChanged _, PinTried _, Pinned _, Unseeded _ ->
          throw noResponse(outcome);
      case HoldsRead _, TicketSeen _, Counted _, TokenFound _, TokenNotFound _ ->
          throw noResponse(outcome);
    };
  }

  private static IllegalStateException noResponse(HoldOutcome outcome) {
    return new IllegalStateException("an intermediate outcome has no response: " + outcome);
  }

  public static MutableHttpResponse<byte[]> json(HttpStatus status, byte[] body) {
    return HttpResponse.<byte[]>status(status)
        .body(body)
        .contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  public static MutableHttpResponse<Problem> problem(Problem problem) {
    return HttpResponse.<Problem>status(HttpStatus.valueOf(problem.status()))
        .body(problem)
        .contentType(Problem.MEDIA_TYPE);
  }

  static MutableHttpResponse<Problem> unknownHold() {
    return refused(HttpStatus.NOT_FOUND, "not-known", "There is no such hold.");
  }

  /// The answer to the call whose outcome was stored in an entry of that version.
  public static MutableHttpResponse<?> of(Pool pool, EntryVersion version, StoredOutcome outcome) {
    var response = rendered(pool, version, outcome);
    return response.body() instanceof Problem problem
        ? response.body(problem.under(problemTypes(version)))
        : response;
  }

  /// What the types of problems begin with in answers of that version.
  public static String problemTypes(EntryVersion version) {
    return switch (version) {
      case FIRST -> "https://holdfast.dev/problems/";
      case FINAL_HOLD_LIMIT -> Problem.TYPES;
    };
  }

  private static MutableHttpResponse<?> rendered(
      Pool pool, EntryVersion version, StoredOutcome outcome) {
    return switch (outcome) {
      case Held(var hold) -> placed(HttpStatus.CREATED, pool, hold);
      case Same(var hold) -> placed(HttpStatus.OK, pool, hold);
      case Released(var hold) -> json(HttpStatus.OK, HoldJson.of(pool, hold));
      case Expired(var hold) -> json(HttpStatus.OK, HoldJson.of(pool, hold));
      case Confirmed(var hold) -> json(HttpStatus.OK, HoldJson.of(pool, hold));
      case Joined(var position, var ticket) ->
          json(HttpStatus.CREATED, TicketJson.ofJoin(pool, position, ticket))
              .header("Location", "/v1/queue/" + ticket.id(pool.name()));
      case SameTicket(var position, var ticket) ->
          json(HttpStatus.OK, TicketJson.ofJoin(pool, position, ticket));
      case OfTicket ofTicket -> json(HttpStatus.OK, TicketJson.ofEnd(pool, ofTicket.ticket()));
      case Taken(var items) ->
          problem(
              Problem.refused(HttpStatus.CONFLICT, "resource-unavailable", taken(pool, items))
                  .naming(items));
      case NoSuchItem(var items) ->
          problem(Problem.invalid("items", "The pool has no such item.").naming(items));
      case Limit(var most) -> limit(version, most);
      case ItemLimit(var most) ->
          problem(
              Problem.decided(
                  HttpStatus.TOO_MANY_REQUESTS,
                  "hold-limit",
                  "The requester would have more than %d items here, held and bought together, which is the pool's maxItemsPerRequester."
                      .formatted(most)));
      case BidTooLow(var ownCents) ->
          refused(
              HttpStatus.CONFLICT,
              "bid-too-low",
              "The requester offers %d cents already, and a bid is never lowered; offer more, or release the bid, under a fresh token."
                  .formatted(ownCents));
      case Invalid(var field, var sentence) -> problem(Problem.invalid(field, sentence));
      case Reason.NOT_HELD ->
          refused(
              HttpStatus.CONFLICT,
              "not-held",
              "The hold has ended, or it is another requester's; place a new one if the items are"
                  + " free.");
      case Reason.NOT_KNOWN -> unknownHold();
      case Reason.WINDOW_NOT_ELAPSED ->
          refused(
              HttpStatus.CONFLICT,
              "window-not-elapsed",
              "The hold's time is not over; wait, or send force: true under a fresh token.");
      case Reason.ELAPSED ->
          refused(
              HttpStatus.GONE,
              "window-elapsed",
              "The hold's time ran out; place a new one if the items are free.");
      case Reason.CLOSING ->
          refused(
              HttpStatus.GONE,
              "window-elapsed",
              "Less of the hold's window is left than the clock margin that a sale needs"
                  + " (max-clock-skew), so the hold is not sold any more. It lives until expiresAt;"
                  + " release it and place a new one.");
      case Reason.STALE_FENCE ->
          refused(
              HttpStatus.CONFLICT,
              "stale-fence",
              "The hold has another fence; the sender of this fence holds nothing.");
      case Reason.REPLAY_DUPLICATE ->
          refused(
              HttpStatus.CONFLICT,
              "replay-duplicate",
              "This logicalKey was used before, for another order or another hold; look it up by"
                  + " GET /v1/operations, and use another key for a new purchase.");
      case Reason.NONCE_UNBOUND ->
          refused(
              HttpStatus.FORBIDDEN,
              "nonce-unbound",
              "The pool requires a nonce that is valid for this hold and at this time; get one by"
                  + " POST /v1/authorizations, and ask under a fresh token.");
      case Reason.NONCE_CONSUMED ->
          refused(
              HttpStatus.FORBIDDEN,
              "nonce-consumed",
              "The nonce was used before; get another, and ask under a fresh token.");
      case Reason.NOT_ADMITTED ->
          refused(
              HttpStatus.FORBIDDEN,
              "not-admitted",
              "The pool has a waiting room, and this call has no valid pass for it; join by POST"
                  + " /v1/pools/{pool}/queue, and ask under a fresh token once you are admitted.");
      case Reason.SALES_CLOSED ->
          refused(
              HttpStatus.CONFLICT,
              "sales-closed",
              "The pool takes no holds now: GET it for salesFrom, salesUntil and closed, and ask"
                  + " under a fresh token when its sale is open.");
      case Reason.QUEUE_FULL ->
          refused(
              HttpStatus.CONFLICT,
              "queue-full",
              "As many tickets wait here as a waiting room takes; try later under a fresh token.");
      case Reason.AUCTION_CLOSED ->
          refused(
              HttpStatus.CONFLICT,
              "auction-closed",
              "The auction takes no more bids and its bids stay as they are; GET the pool for its"
                  + " result.");
      case Reason.AUCTION_FULL ->
          refused(
              HttpStatus.CONFLICT,
              "auction-full",
              "The auction has as many bids as it may have; wait until one ends, and ask under a"
                  + " fresh token.");
      case Reason.AUCTION_OPEN ->
          refused(
              HttpStatus.CONFLICT,
              "auction-open",
              "A bid cannot be confirmed; the close of the auction confirms the highest bid.");
      case Reason.COMPENSATING ->
          refused(
              HttpStatus.CONFLICT,
              "compensating",
              "The verification of the sale failed and the sale will be reversed; nothing can be"
                  + " sold under this logicalKey any more.");
    };
  }

  private static MutableHttpResponse<Problem> limit(EntryVersion version, int most) {
    var detail =
        "The requester has %d holds here, as many as anybody may have; release one, then ask under a fresh token."
            .formatted(most);
    return switch (version) {
      case FIRST ->
          refused(HttpStatus.TOO_MANY_REQUESTS, "hold-limit", detail)
              .header(RETRY_AFTER, SOON_SECONDS);
      case FINAL_HOLD_LIMIT ->
          problem(Problem.decided(HttpStatus.TOO_MANY_REQUESTS, "hold-limit", detail));
    };
  }

  private static String taken(Pool pool, List<String> items) {
    if (pool.kind() == PoolKind.STOCK) {
      return "Fewer units are left; ask for fewer, or wait until holds expire, under a fresh"
          + " token.";
    }
    return items.isEmpty()
        ? "There are not so many free seats side by side; ask for fewer or elsewhere, under a fresh"
            + " token."
        : "Somebody else has an item of these; choose others, under a fresh token.";
  }

  private static MutableHttpResponse<?> placed(HttpStatus status, Pool pool, HoldRecord hold) {
    var bid = hold.bid();
    return json(status, bid == null ? HoldJson.of(pool, hold) : HoldJson.ofBid(pool, hold, bid))
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
