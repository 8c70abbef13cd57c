package io.holdfast.hold;

import io.holdfast.access.Caller;
import io.holdfast.pool.Action;
import io.holdfast.pool.HoldId;
import io.holdfast.web.Fields;
import io.holdfast.web.JsonBody;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// The changes of holds over HTTP: what each route reads, and which step of the desk it asks for.
@Controller("/v1")
final class HoldController {
  private static final long FENCE_MOST = (1L << 53) - 1;

  private final HoldDesk desk;
  private final EndedHolds ended;
  private final Spending tokens;
  private final Pools pools;
  private final HoldMetrics metrics;

  HoldController(
      HoldDesk desk, EndedHolds ended, Spending tokens, Pools pools, HoldMetrics metrics) {
    this.desk = desk;
    this.ended = ended;
    this.tokens = tokens;
    this.pools = pools;
    this.metrics = metrics;
  }

  @Post("/pools/{pool}/holds")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> place(
      HttpRequest<?> http, String pool, @Body byte[] body, Caller caller) {
    var since = System.nanoTime();
    var request =
        new Spending.Request(Action.PLACE_HOLD, caller.name(), pool, pool, http.getHeaders(), body);
    return tokens
        .spend(request, (call, fields) -> desk.place(call, Wish.read(fields, call.pool().policy())))
        .whenComplete((_, _) -> metrics.placed(since));
  }

  @Post("/holds/{holdId}/release")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> release(
      HttpRequest<?> http, String holdId, @Body byte[] body, Caller caller) {
    var name = caller.name();
    return end(
        Action.RELEASE,
        http,
        holdId,
        body,
        caller,
        (id, call, fields) -> {
          var requester = fields.text("requester");
          fields.refuseOthers();
          return desk.release(call, id, requester)
              .thenCompose(
                  decision ->
                      ended.refuseAbsent(
                          decision, call, Action.RELEASE, id, hold -> hold.caller().equals(name)));
        });
  }

  /// For operators, whose business every hold is.
  @Post("/holds/{holdId}/expire")
  @Secured("operate")
  CompletionStage<HttpResponse<?>> expire(
      HttpRequest<?> http, String holdId, @Body byte[] body, Caller caller) {
    return end(
        Action.EXPIRE,
        http,
        holdId,
        body,
        caller,
        (id, call, fields) -> {
          var isForced = fields.flag("force", false);
          fields.refuseOthers();
          return desk.expire(call, id, isForced)
              .thenCompose(
                  decision -> ended.refuseAbsent(decision, call, Action.EXPIRE, id, _ -> true));
        });
  }

  /// Needs no token: the lease counts from now, however often it is asked for.
  @Post("/holds/{holdId}/heartbeat")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> heartbeat(String holdId, @Body byte[] body, Caller caller) {
    var fields = Fields.of(JsonBody.read(body));
    var requester = fields.text("requester");
    var fence = fields.whole("fence", 1, FENCE_MOST);
    fields.refuseOthers();
    var id = HoldId.parse(holdId);
    if (id.isEmpty()) {
      return CompletableFuture.completedStage(HoldAnswers.unknownHold());
    }
    return pools.with(
        id.get().pool().value(),
        pool ->
            desk.extend(pool, caller.name(), id.get(), requester, fence)
                .thenCompose(decision -> ended.refuseHeartbeat(decision, id.get(), caller.name()))
                .thenApply(
                    decision -> {
                      metrics.counted(decision.outcome());
                      return HoldAnswers.of(pool, decision);
                    }));
  }

  private interface EndStep {
    CompletionStage<Decision> decide(HoldId id, TokenCall call, Fields fields);
  }

  /// An id that is none at all belongs to no pool, so there is nowhere to keep the answer.
  private CompletionStage<HttpResponse<?>> end(
      Action action, HttpRequest<?> http, String holdId, byte[] body, Caller caller, EndStep step) {
    var id = HoldId.parse(holdId);
    var pool = id.map(known -> known.pool().value()).orElse("");
    var request =
        new Spending.Request(action, caller.name(), pool, holdId, http.getHeaders(), body);
    return tokens.spend(request, (call, fields) -> step.decide(id.orElseThrow(), call, fields));
  }
}
