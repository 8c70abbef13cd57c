package io.holdfast.hold;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Invalid;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.TokenAction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// The way of every call under a token. The token is read before anything else, then the body, then
/// the pool: until there nothing is kept. Whatever is decided after that is kept under the token, a
/// refusal as much as a yes.
@Singleton
public final class IdempotentCall {
  private final HoldService desk;
  private final PoolRegistry pools;
  private final HoldMetrics metrics;
  private final IdempotencyHttp once;

  IdempotentCall(HoldService desk, PoolRegistry pools, HoldMetrics metrics, IdempotencyHttp once) {
    this.desk = desk;
    this.pools = pools;
    this.metrics = metrics;
    this.once = once;
  }

  /// @param pool as it was sent; `path`, what the route has of parameters
  public record Request(
      TokenAction action,
      Caller caller,
      String pool,
      String path,
      HttpHeaders headers,
      byte[] body) {}

  /// Decides on fields that were not looked at yet; may refuse them with `InvalidField`.
  public interface Step {
    CompletionStage<TokenOutcome> decide(IdempotentRequest call, JsonFields fields);
  }

  public CompletionStage<HttpResponse<?>> spend(Request request, Step step) {
    var token = once.token(request.headers);
    var body = JsonBody.read(request.body);
    request.caller.refuseOtherRequester(body);
    return spend(request, token, body, step);
  }

  private CompletionStage<HttpResponse<?>> spend(
      Request request, Token token, Map<String, @Nullable Object> body, Step step) {
    return pools.with(
        request.pool,
        pool -> {
          var digest = Digest.of(request.action.word(), List.of(request.path), body);
          var call = new IdempotentRequest(request.caller.name(), pool, token, digest);
          return decided(request.action, call, JsonFields.of(body), step)
              .thenApply(decision -> answered(call, decision));
        });
  }

  private CompletionStage<TokenOutcome> decided(
      TokenAction action, IdempotentRequest call, JsonFields fields, Step step) {
    try {
      return step.decide(call, fields);
    } catch (InvalidField e) {
      return desk.refuse(call, action, new Invalid(e.field(), e.sentence()));
    }
  }

  /// Whoever cannot be told the end yet is told where to look for it.
  private HttpResponse<?> answered(IdempotentRequest call, TokenOutcome decision) {
    metrics.called(decision);
    var answer = HoldResponses.of(call.pool(), decision);
    var isOpen =
        switch (decision.outcome()) {
          case Running _ -> true;
          case Away(var definite, _) -> !definite;
          case HoldOutcome _ -> false;
        };
    return isOpen ? answer.header(HttpHeaders.LINK, operation(call)) : answer;
  }

  private static String operation(IdempotentRequest call) {
    return "</v1/operations/%s?pool=%s>; rel=\"status\""
        .formatted(PercentBytes.encode(call.token().value()), call.pool().name());
  }
}
