package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.SagaRegistry;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Collision;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentResult.Unknown;
import io.holdfast.postgres.Transactions;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// Shows checkouts as they stand, at once or when they have ended.
@Singleton
final class CheckoutQueries {
  /// For ends that are not heard of: only who lost its lease ends a checkout elsewhere.
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Transactions transactions;
  private final SagaRegistry sagas;
  private final CompletionWaiters waiters;
  private final ObjectMapper json;

  CheckoutQueries(
      Transactions transactions, SagaRegistry sagas, CompletionWaiters waiters, ObjectMapper json) {
    this.transactions = transactions;
    this.sagas = sagas;
    this.waiters = waiters;
    this.json = json;
  }

  Optional<CheckoutRun> find(CheckoutId id) {
    return transactions.read(connection -> CheckoutRunReader.find(connection, id));
  }

  /// A checkout of another caller is none.
  HttpResponse<?> one(String wire, String caller) {
    return CheckoutId.parse(wire)
        .flatMap(this::find)
        .filter(run -> run.order().caller().equals(caller))
        .<HttpResponse<?>>map(run -> HttpResponse.ok(view(run)))
        .orElseGet(CheckoutQueries::notKnown);
  }

  /// Every answer to one token names the same checkout and shows how it stands by now.
  ///
  /// @param otherwise the answer if no checkout has begun under this token
  HttpResponse<?> answered(IdempotentResult outcome, HttpResponse<?> otherwise, Duration wait) {
    return switch (outcome) {
      case Done(var answer) when isBegun(answer) -> standing(answer, wait, true);
      case Replayed(var answer) when isBegun(answer) ->
          standing(answer, wait, false).header(IdempotencyHttp.REPLAYED, "true");
      case Done _, Replayed _, Collision _, Unknown _ -> otherwise;
    };
  }

  CheckoutJson view(CheckoutRun run) {
    return CheckoutJson.of(sagas.named(run.saga()), run);
  }

  static HttpResponse<Problem> notKnown() {
    var problem = Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such checkout.");
    return HttpResponse.<Problem>status(HttpStatus.NOT_FOUND)
        .body(problem)
        .contentType(Problem.MEDIA_TYPE);
  }

  private static boolean isBegun(Answer answer) {
    return answer.status() == HttpStatus.ACCEPTED.getCode();
  }

  /// @param isExpected since it began, so that its end is heard of even if it has come already
  private MutableHttpResponse<?> standing(Answer answer, Duration wait, boolean isExpected) {
    var id = CheckoutId.parse(begun(answer).checkoutId()).orElseThrow();
    var run = awaited(id, wait, isExpected);
    var response = response(run, !wait.isZero());
    if (!wait.isZero()) {
      response.header(PreferHeader.APPLIED, "wait=" + wait.toSeconds());
    }
    return response.header("Location", URI.create("/v1/checkouts/" + id).toString());
  }

  private MutableHttpResponse<?> response(CheckoutRun run, boolean isWaitedFor) {
    if (!isWaitedFor || !run.phase().isEnd()) {
      return HttpResponse.accepted().body(view(run));
    }
    return switch (run.phase()) {
      case DONE -> HttpResponse.ok(view(run));
      case FORWARD, COMPENSATING, COMPENSATED, STUCK ->
          HttpResponse.status(HttpStatus.CONFLICT)
              .body(CheckoutJson.undone(sagas.named(run.saga()), run))
              .contentType(Problem.MEDIA_TYPE);
    };
  }

  private CheckoutRun awaited(CheckoutId id, Duration wait, boolean isExpected) {
    var since = System.nanoTime();
    var ended =
        isExpected && wait.isPositive()
            ? waiters.await(id, shorter(wait, LOOK))
            : Optional.<CheckoutRun>empty();
    while (ended.isEmpty()) {
      var left = wait.minusNanos(System.nanoTime() - since);
      if (!left.isPositive()) {
        return find(id).orElseThrow();
      }
      ended = waiters.await(id, () -> find(id).orElseThrow(), shorter(left, LOOK));
    }
    return ended.get();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private CheckoutService.Begun begun(Answer answer) {
    try {
      return json.readValue(answer.body(), CheckoutService.Begun.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
