package io.holdfast.hold;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.StoredOutcome.Invalid;
import io.holdfast.pool.TokenAction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Executes calls that carry a token: reads the token, then the body, then looks up the pool. A
/// refusal up to there is not stored. Every later decision is stored under the token, refusals too.
@Singleton
public final class IdempotentCall {
  private final HoldService holds;
  private final PoolRegistry pools;
  private final HoldMetrics metrics;
  private final IdempotencyHttp idempotency;

  IdempotentCall(
      HoldService holds, PoolRegistry pools, HoldMetrics metrics, IdempotencyHttp idempotency) {
    this.holds = holds;
    this.pools = pools;
    this.metrics = metrics;
    this.idempotency = idempotency;
  }

  /// @param pool as it was sent
  /// @param path the parameters of the route
  public record Request(
      TokenAction action,
      Caller caller,
      String pool,
      String path,
      HttpHeaders headers,
      byte[] body) {

    /// A call on a hold. An id that cannot be parsed has no pool, so the call is answered with 404
    /// and nothing is stored.
    public static Request onHold(
        TokenAction action, Caller caller, String holdId, HttpHeaders headers, byte[] body) {
      var pool = HoldId.parse(holdId).map(id -> id.pool().value()).orElse("");
      return new Request(action, caller, pool, holdId, headers, body);
    }
  }

  /// Decides on the fields of the body; may refuse them with `InvalidField`.
  public interface Step {
    CompletionStage<HoldOutcome> decide(IdempotentRequest call, JsonFields fields);
  }

  /// Makes the response of an outcome. It depends on nothing but the outcome and the request.
  public interface Responder {
    CompletionStage<MutableHttpResponse<?>> respond(IdempotentRequest call, HoldOutcome outcome);
  }

  public CompletionStage<HttpResponse<?>> execute(Request request, Step step) {
    return execute(
        request,
        step,
        (call, outcome) -> CompletableFuture.completedStage(HoldResponses.of(call, outcome)));
  }

  public CompletionStage<HttpResponse<?>> execute(Request request, Step step, Responder responder) {
    var token = idempotency.token(request.headers);
    var body = JsonBody.read(request.body);
    request.caller.refuseOtherRequester(body);
    var digest =
        Digest.of(request.action.word(), List.of(request.path), body)
            .as(idempotency.entryVersion());
    return pools.with(
        request.pool,
        pool -> {
          var call =
              new IdempotentRequest(request.action, request.caller.name(), pool, token, digest);
          return decide(call, body, step)
              .thenCompose(
                  outcome ->
                      outcome instanceof Drift(var id) && EntryVersion.of(id).isPresent()
                          ? repeat(call.as(EntryVersion.of(id).get()), body, step, responder)
                          : respond(call, outcome, responder));
        });
  }

  /// The token has an entry of another version: the call is compared with that entry, and its
  /// answer is rendered as it was then.
  private CompletionStage<HttpResponse<?>> repeat(
      IdempotentRequest call, Map<String, @Nullable Object> body, Step step, Responder responder) {
    return decide(call, body, step).thenCompose(outcome -> respond(call, outcome, responder));
  }

  private CompletionStage<HoldOutcome> decide(
      IdempotentRequest call, Map<String, @Nullable Object> body, Step step) {
    try {
      return step.decide(call, JsonFields.of(body));
    } catch (InvalidField e) {
      return holds.refuse(call, new Invalid(e.field(), e.sentence()));
    }
  }

  /// A response without a final outcome links to the route that will show it.
  private CompletionStage<HttpResponse<?>> respond(
      IdempotentRequest call, HoldOutcome outcome, Responder responder) {
    metrics.count(outcome);
    var isOpen =
        switch (outcome) {
          case Running _ -> true;
          case Away(var definite, _) -> !definite;
          case HoldOutcome _ -> false;
        };
    return responder
        .respond(call, outcome)
        .thenApply(
            response -> isOpen ? response.header(HttpHeaders.LINK, operationLink(call)) : response);
  }

  private static String operationLink(IdempotentRequest call) {
    return "</v1/operations/%s?pool=%s>; rel=\"status\""
        .formatted(PercentBytes.encode(call.token().value()), call.pool().name());
  }
}
