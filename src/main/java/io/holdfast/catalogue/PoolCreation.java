package io.holdfast.catalogue;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.http.RequestSettings;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresClock;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Creates pools: first in Postgres, in one transaction with the answer that is stored under the
/// token, then in Redis, so that the first hold finds the pool open. May block.
@Singleton
final class PoolCreation {
  private final IdempotencyHttp http;
  private final IdempotencyStore results;
  private final Catalogue catalogue;
  private final PoolRegistry pools;
  private final PoolCreatedListener listener;
  private final RequestSettings settings;
  private final PostgresClock clock;

  PoolCreation(
      IdempotencyHttp http,
      IdempotencyStore results,
      Catalogue catalogue,
      PoolRegistry pools,
      PoolCreatedListener listener,
      RequestSettings settings,
      PostgresClock clock) {
    this.http = http;
    this.results = results;
    this.catalogue = catalogue;
    this.pools = pools;
    this.listener = listener;
    this.settings = settings;
    this.clock = clock;
  }

  HttpResponse<?> create(HttpHeaders headers, byte[] bytes, String caller) {
    var token = http.token(headers);
    var body = JsonBody.read(bytes);
    var digest = Digest.of(Route.CREATE_POOL.word(), List.of(), body);
    var call = http.call(caller, Route.CREATE_POOL, token, digest).about(name(body));
    PoolRequest request;
    try {
      request = PoolRequest.read(JsonFields.of(body), settings.slowestRetry(), clock::now);
    } catch (InvalidField e) {
      return http.answer(results.once(call, _ -> http.stored(e.problem())));
    }
    var result = results.once(call, transaction -> create(transaction, request, caller));
    if (isCreated(result)) {
      pools.learn(request.pool());
      listener.created(request.pool());
    }
    return http.answer(result);
  }

  /// As it was sent, if it can be the name of a pool.
  private static Optional<PoolName> name(Map<String, @Nullable Object> body) {
    return body.get("pool") instanceof String name && PoolName.isName(name)
        ? Optional.of(new PoolName(name))
        : Optional.empty();
  }

  private Answer create(Transaction transaction, PoolRequest request, String caller) {
    return switch (catalogue.create(transaction, request.pool(), request.items(), caller)) {
      case CreateOutcome.Created() ->
          http.stored(HttpStatus.CREATED, PoolJson.Created.of(request.pool()));
      case CreateOutcome.Same(var present) ->
          http.stored(HttpStatus.OK, PoolJson.Created.of(present));
      case CreateOutcome.Different() ->
          http.stored(
              Problem.refused(
                  HttpStatus.CONFLICT,
                  "pool-exists",
                  "There is a pool of this name with other content. Change it by PATCH"
                      + " /v1/pools/{pool}, or choose another name."));
    };
  }

  private static boolean isCreated(IdempotentResult result) {
    return result instanceof IdempotentResult.Done(var answer)
        && answer.status() == HttpStatus.CREATED.getCode();
  }
}
