package io.holdfast.hold;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.MalformedToken;
import io.holdfast.idempotency.Token;
import io.holdfast.postgres.Catalogue;
import io.holdfast.postgres.CreateOutcome;
import io.holdfast.postgres.RequestCall;
import io.holdfast.postgres.RequestOutcome;
import io.holdfast.postgres.RequestOutcome.Answer;
import io.holdfast.postgres.RequestResults;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.Fields;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.KeptAnswer;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.json.JsonMapper;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// Creates pools: all of one in a transaction of Postgres, whose answer is kept under the token,
/// and then in Redis, so that its first hold finds it open. For threads that may block.
@Singleton
final class PoolCreation {
  private final RequestResults results;
  private final Catalogue catalogue;
  private final Pools pools;
  private final Seeding seeding;
  private final HoldSettings settings;
  private final JsonMapper json;

  PoolCreation(
      RequestResults results,
      Catalogue catalogue,
      Pools pools,
      Seeding seeding,
      HoldSettings settings,
      JsonMapper json) {
    this.results = results;
    this.catalogue = catalogue;
    this.pools = pools;
    this.seeding = seeding;
    this.settings = settings;
    this.json = json;
  }

  HttpResponse<?> create(HttpHeaders headers, byte[] body, String caller) {
    return switch (Token.read(headers.getAll("Idempotency-Key"), settings.tokenMaxLength())) {
      case MalformedToken(var sentence) ->
          HoldAnswers.problem(Problem.invalid("Idempotency-Key", sentence));
      case Token token -> create(token, body, caller);
    };
  }

  private HttpResponse<?> create(Token token, byte[] body, String caller) {
    var tree = JsonBody.read(body);
    var route = RequestCall.Route.CREATE_POOL;
    var digest = Digest.of(route.word(), List.of(), tree);
    var call = new RequestCall(caller, route, token, digest, settings.idempotencyWindow());
    PoolRequest wanted;
    try {
      wanted = PoolRequest.read(Fields.of(tree));
    } catch (InvalidField e) {
      return KeptAnswer.of(results.once(call, _ -> refusal(e.problem())));
    }
    var outcome = results.once(call, transaction -> create(transaction, wanted, caller));
    if (outcome instanceof RequestOutcome.Done(var answer)
        && answer.status() == HttpStatus.CREATED.getCode()) {
      pools.add(wanted.pool());
      seeding.first(wanted.pool());
    }
    return KeptAnswer.of(outcome);
  }

  private Answer create(Transaction transaction, PoolRequest wanted, String caller) {
    return switch (catalogue.create(transaction, wanted.pool(), wanted.items(), caller)) {
      case CreateOutcome.Created() ->
          new Answer(HttpStatus.CREATED.getCode(), written(PoolView.Created.of(wanted.pool())));
      case CreateOutcome.Same(var present) ->
          new Answer(HttpStatus.OK.getCode(), written(PoolView.Created.of(present)));
      case CreateOutcome.Different() ->
          refusal(
              Problem.refused(
                  HttpStatus.CONFLICT,
                  "pool-exists",
                  "There is a pool of this name with other content; a pool never changes, so choose"
                      + " another name."));
    };
  }

  private Answer refusal(Problem problem) {
    return new Answer(problem.status(), written(problem));
  }

  private byte[] written(Object body) {
    try {
      return json.writeValueAsBytes(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
