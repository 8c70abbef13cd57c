package io.holdfast.web.problem;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Every code of a `Problem`, with the statuses that it comes with, what it means and what a client
/// does next. The pages below `/problems` are made from this list. A new code needs an entry here
/// and in docs/problems.md; tests compare the three.
public enum ProblemCode {
  ALREADY_RESERVED(409, "The value is reserved.", "Choose another value."),
  ALREADY_VOIDED(409, "The sale was voided before.", "Nothing: the items are free again."),
  AMOUNT_MISMATCH(
      422,
      "The amount or the currency is not that of the items. Nothing was charged.",
      "Read the prices again and send their sum."),
  ATTEMPT_COLLISION(
      409,
      "Another call under this Idempotency-Key, or on this hold, has not ended.",
      "Send the same request with the same key again."),
  AUCTION_CLOSED(
      409, "The auction takes no more bids.", "GET the pool: it shows the result of the auction."),
  AUCTION_FULL(409, "The auction has as many bids as it may have.", "Try later under a new key."),
  AUCTION_OPEN(
      409, "A bid is paid after it has won.", "Wait until the auction is closed, then pay."),
  BID_TOO_LOW(409, "The requester offers as much already.", "Offer more under a new key."),
  CAPACITY_IN_USE(
      409, "More units are held or sold than the capacity asked for.", "Ask for a higher one."),
  CHECKOUT_EXISTS(
      409,
      "Another checkout of this hold is under way, fulfilled or STUCK.",
      "Read that checkout; do not pay again."),
  CHECKOUT_FAILED(
      409,
      "The checkout was undone. What was paid is given back.",
      "The body shows which step failed and why. The hold may be checked out again."),
  CHECKOUT_RUNNING(409, "The checkout of the sale has not ended.", "Void the sale after its end."),
  COMPENSATING(
      409,
      "The verification of the sale failed; an operator or the policy AUTOMATIC undoes it.",
      "Wait until the items are free, then hold again with another logicalKey."),
  CORRELATION_ID_TOO_LONG(400, "The correlationId is too long.", "Send at most 128 bytes."),
  ENTITY_ID_REQUIRED(400, "The entityId is missing.", "Send the id of what the value is for."),
  ENTITY_ID_TOO_LONG(400, "The entityId is too long.", "Send at most 128 bytes."),
  FORBIDDEN(
      403,
      "The key lacks the scope of this route, or may not make this key.",
      "Use a key that has it."),
  FORBIDDEN_ADDRESS(
      422, "The host of the webhook has no public address.", "Send a URL that can be reached."),
  HOLD_LIMIT(
      429,
      "The requester has as many holds here as anybody may have, or would have more items.",
      "Release a hold or ask for fewer items, then try under a new key."),
  INTERNAL_ERROR(
      500,
      "A bug stopped the request; how far it got is unknown.",
      "Send the same request with the same key again. The log has the Trace-Id."),
  INVALID_REQUEST(
      List.of(400, 414, 417, 431, 505),
      "The request does not have the form that is described.",
      "Correct what the detail names; the member field has the name of a single wrong field."),
  INVALID_TTL(400, "The ttlMs is not a positive whole number.", "Correct it."),
  INVALID_TYPE(400, "The type has characters that a type cannot have.", "Correct it."),
  INVALID_VALUE(400, "The value has characters that a value cannot have.", "Correct it."),
  ITEM_EXISTS(
      409,
      "The pool has items of these names. Nothing was added.",
      "Add the others, or choose other names."),
  METHOD_NOT_ALLOWED(405, "The path has no such method.", "The Allow header lists its methods."),
  MUTABLE_FIELD(
      422,
      "The field can change, so that no id can be made of it.",
      "Reserve the value; GET /v1/patterns explains the choice."),
  NONCE_CONSUMED(403, "The nonce was used before.", "Get another, and ask under a new key."),
  NONCE_UNBOUND(
      403,
      "The call has no nonce that is valid for this hold at this time.",
      "Get one by POST /v1/authorizations, and ask under a new key."),
  NOT_ACCEPTABLE(406, "The route has no answer of the type asked for.", "Accept JSON."),
  NOT_ADMITTED(
      403,
      "The pool has a waiting room, and the call has no valid pass for it.",
      "Join by POST /v1/pools/{pool}/queue, and ask under a new key once admitted."),
  NOT_COMPENSATING(
      409,
      "No sale of this hold has failed its verification.",
      "Void a sound sale by POST /v1/commitments/{commitmentId}/void."),
  NOT_HELD(
      409,
      "The hold has ended, or it is another requester's.",
      "Place a new hold if the items are free."),
  NOT_KNOWN(
      404,
      "There is nothing of this name or id that the caller may see.",
      "Check the path. What is created later can be found later."),
  NOT_STUCK(409, "The checkout is not stuck.", "Nothing: it goes on by itself."),
  NOT_YOURS(
      403,
      "The requester is not the subject of the JWT.",
      "Send the subject as requester, or use an API key."),
  NOTICE_CONTRADICTS(
      409,
      "The notice contradicts what is known of the payment. It is stored and changes nothing.",
      "An operator compares the payment with the provider."),
  NOTICE_DIFFERS(
      422,
      "The notice does not fit the call that it names. It is stored and changes nothing.",
      "An operator compares the payment with the provider."),
  ORIGIN_NOT_ALLOWED(
      403,
      "Pages of this origin may not call the service.",
      "List the origin in HOLDFAST_CORS_ORIGINS."),
  OVERLOADED(
      503,
      "Too many calls are waiting. Nothing was done.",
      "Wait as Retry-After says, then send the same request with the same key."),
  POOL_EXISTS(409, "There is a pool of this name with other content.", "Choose another name."),
  QUEUE_FULL(409, "As many tickets wait as the waiting room takes.", "Try later under a new key."),
  RATE_LIMITED(
      429, "The caller has reached its rate limit. Nothing was done.", "Wait as Retry-After says."),
  REFUND_TOO_LATE(409, "The time for a refund is over.", "Void without a refund, or do not void."),
  REPLAY_DUPLICATE(
      409,
      "The logicalKey was used for another order or another hold.",
      "Look it up by GET /v1/operations, and use another for a new purchase."),
  REQUEST_TIMEOUT(
      408,
      "The request did not arrive in time.",
      "Send it again with the same key; if definite is false, it may have been carried out."),
  RESERVATION_ALREADY_CONFIRMED(
      409, "The reservation is confirmed for an entity.", "Read the reservation."),
  RESERVATION_ALREADY_EXPIRED(410, "The reservation's time is over.", "Reserve the value again."),
  RESERVATION_ALREADY_RELEASED(409, "The reservation was released.", "Reserve the value again."),
  RESERVATION_NOT_CONFIRMED(
      409, "Only a confirmed value can be given back.", "Release the reservation."),
  RESERVATION_NOT_FOUND(404, "The caller has no such reservation.", "Check its id or key."),
  RESOURCE_UNAVAILABLE(
      409,
      "Somebody else has what was asked for; items lists what is taken.",
      "Choose other items, or wait until holds expire, under a new key."),
  SALES_CLOSED(
      409,
      "The pool takes no holds now.",
      "GET the pool for salesFrom, salesUntil and closed; ask under a new key when it is open."),
  STALE_FENCE(
      409, "The hold has another fence; who sent this one holds nothing.", "Read the hold again."),
  STORAGE_FAILURE(
      503,
      "Redis or Postgres is unavailable. If definite is true, nothing was done.",
      "Send the same request with the same key again; it returns the outcome."),
  SUBJECT_ACTIVE(409, "The person still has holds or checkouts.", "Ask again after their end."),
  TOKEN_COLLISION(
      422, "The Idempotency-Key was used for another request.", "Use a new key for a new request."),
  TOO_LARGE(
      413,
      "The body, the headers or the path are larger than the service takes.",
      "Send less at once."),
  TOO_MANY_CONNECTIONS(
      503, "This instance has as many connections as it takes.", "Wait as Retry-After says."),
  TOO_MANY_LISTENERS(
      503,
      "This instance, or this caller, has as many streams as allowed.",
      "Close a stream, or try another instance."),
  TTL_TOO_LONG(400, "The ttlMs is longer than allowed.", "Ask for a shorter time."),
  TYPE_REQUIRED(400, "The type is missing.", "Send the namespace of the value."),
  TYPE_TOO_LONG(400, "The type is too long.", "Send a shorter one."),
  UNAUTHENTICATED(
      401, "The request has no valid key.", "Send Authorization: Bearer and a valid key or JWT."),
  UNIQUE_CONSTRAINT_VIOLATION(
      409, "There is a stream of this business key.", "Choose another value."),
  UNKNOWN_ADDRESS(422, "The host of the webhook was not found.", "Check the URL."),
  UNKNOWN_METHOD(422, "The provider has no such payment method.", "Send one that it has."),
  UNKNOWN_PROVIDER(422, "No such payment provider is configured.", "Send one that is."),
  UNSUPPORTED_MEDIA_TYPE(
      415,
      "The body is not of the type application/json, or has a Content-Encoding.",
      "Send JSON that is not compressed."),
  VALUE_REQUIRED(400, "The value is missing.", "Send the value to reserve."),
  VALUE_TOO_LONG(400, "The value is too long.", "Send a shorter one."),
  VERSION_CONFLICT(
      409, "The stream has another version.", "Read the stream, then append to its version."),
  WEBHOOK_LIMIT(409, "The caller has as many webhooks as allowed.", "Delete one first."),
  WINDOW_ELAPSED(
      410,
      "The hold's time ran out, or less of it is left than the clock margin of a sale.",
      "Place a new hold if the items are free. Confirm at least a second before expiresAt."),
  WINDOW_NOT_ELAPSED(409, "The hold's time is not over.", "Wait, or send force: true.");

  private static final Map<String, ProblemCode> BY_WORD =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(ProblemCode::word, c -> c));

  private final List<Integer> statuses;
  private final String meaning;
  private final String next;

  ProblemCode(int status, String meaning, String next) {
    this(List.of(status), meaning, next);
  }

  ProblemCode(List<Integer> statuses, String meaning, String next) {
    this.statuses = statuses;
    this.meaning = meaning;
    this.next = next;
  }

  public static Optional<ProblemCode> of(String word) {
    return Optional.ofNullable(BY_WORD.get(word));
  }

  /// As in the body of a problem, such as `not-held`.
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public List<Integer> statuses() {
    return statuses;
  }

  public String meaning() {
    return meaning;
  }

  /// What a client does next.
  public String next() {
    return next;
  }
}
