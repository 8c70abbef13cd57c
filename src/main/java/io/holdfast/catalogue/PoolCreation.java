package io.holdfast.catalogue;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.http.RequestSettings;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
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

/// Creates pools: all of one in a transaction of Postgres, whose answer is kept under the token,
/// and then in Redis, so that its first hold finds it open. For threads that may block.
@Singleton
final class PoolCreation {
  private final IdempotencyHttp once;
  private final IdempotencyStore results;
  private final Catalogue catalogue;
  private final PoolRegistry pools;
  private final PoolCreatedListener listener;
  private final RequestSettings settings;

  PoolCreation(
      IdempotencyHttp once,
      IdempotencyStore results,
      Catalogue catalogue,
      PoolRegistry pools,
      PoolCreatedListener listener,
      RequestSettings settings) {
    this.once = once;
    this.results = results;
    this.catalogue = catalogue;
    this.pools = pools;
    this.listener = listener;
    this.settings = settings;
  }

  HttpResponse<?> create(HttpHeaders headers, byte[] body, String caller) {
    var token = once.token(headers);
    var asked = JsonBody.read(body);
    var digest = Digest.of(Route.CREATE_POOL.word(), List.of(), asked);
    var call = once.call(caller, Route.CREATE_POOL, token, digest);
    PoolRequest wanted;
    try {
      wanted = PoolRequest.read(JsonFields.of(asked), settings.slowestRetry());
    } catch (InvalidField e) {
      return once.answer(results.once(call, _ -> once.stored(e.problem())));
    }
    var outcome = results.once(call, transaction -> create(transaction, wanted, caller));
    if (isCreated(outcome)) {
      pools.add(wanted.pool());
      listener.created(wanted.pool());
    }
    return once.answer(outcome);
  }

  private Answer create(Transaction transaction, PoolRequest wanted, String caller) {
    return switch (catalogue.create(transaction, wanted.pool(), wanted.items(), caller)) {
      case CreateOutcome.Created() ->
          once.stored(HttpStatus.CREATED, PoolJson.Created.of(wanted.pool()));
      case CreateOutcome.Same(var present) ->
          once.stored(HttpStatus.OK, PoolJson.Created.of(present));
      case CreateOutcome.Different() ->
          once.stored(
              Problem.refused(
                  HttpStatus.CONFLICT,
                  "pool-exists",
                  "There is a pool of this name with other content; a pool never changes, so choose"
                      + " another name."));
    };
  }

  private static boolean isCreated(IdempotentResult outcome) {
    return outcome instanceof IdempotentResult.Done(var answer)
        && answer.status() == HttpStatus.CREATED.getCode();
  }
}
