package io.holdfast.hold;

import io.holdfast.idempotency.Digest;
import io.holdfast.postgres.Catalogue;
import io.holdfast.postgres.CreateOutcome;
import io.holdfast.postgres.RequestCall.Route;
import io.holdfast.postgres.RequestOutcome;
import io.holdfast.postgres.RequestOutcome.Answer;
import io.holdfast.postgres.RequestResults;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.Fields;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OncePerToken;
import io.holdfast.web.Problem;
import io.holdfast.web.RequestSettings;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.util.List;

/// Creates pools: all of one in a transaction of Postgres, whose answer is kept under the token,
/// and then in Redis, so that its first hold finds it open. For threads that may block.
@Singleton
final class PoolCreation {
  private final OncePerToken once;
  private final RequestResults results;
  private final Catalogue catalogue;
  private final Pools pools;
  private final PoolCreatedListener listener;
  private final RequestSettings settings;

  PoolCreation(
      OncePerToken once,
      RequestResults results,
      Catalogue catalogue,
      Pools pools,
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
      wanted = PoolRequest.read(Fields.of(asked), settings.slowestRetry());
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
          once.stored(HttpStatus.CREATED, PoolView.Created.of(wanted.pool()));
      case CreateOutcome.Same(var present) ->
          once.stored(HttpStatus.OK, PoolView.Created.of(present));
      case CreateOutcome.Different() ->
          once.stored(
              Problem.refused(
                  HttpStatus.CONFLICT,
                  "pool-exists",
                  "There is a pool of this name with other content; a pool never changes, so choose"
                      + " another name."));
    };
  }

  private static boolean isCreated(RequestOutcome outcome) {
    return outcome instanceof RequestOutcome.Done(var answer)
        && answer.status() == HttpStatus.CREATED.getCode();
  }
}
