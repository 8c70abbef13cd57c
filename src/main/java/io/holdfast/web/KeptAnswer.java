package io.holdfast.web;

import io.holdfast.postgres.RequestOutcome;
import io.holdfast.postgres.RequestOutcome.Answer;
import io.holdfast.postgres.RequestOutcome.Collision;
import io.holdfast.postgres.RequestOutcome.Done;
import io.holdfast.postgres.RequestOutcome.Replayed;
import io.holdfast.postgres.RequestOutcome.Unknown;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;

/// The answer of a route without a pool, as Postgres keeps it under the token.
public final class KeptAnswer {
  private static final int REFUSALS = 400;

  private KeptAnswer() {}

  public static MutableHttpResponse<?> of(RequestOutcome outcome) {
    return switch (outcome) {
      case Done(var answer) -> of(answer);
      case Replayed(var answer) -> of(answer).header("Idempotent-Replayed", "true");
      case Collision() ->
          problem(
              Problem.refused(
                  HttpStatus.UNPROCESSABLE_ENTITY,
                  "token-collision",
                  "This Idempotency-Key was spent on another request; use a fresh one."));
      case Unknown() ->
          problem(
                  Problem.unavailable(
                      false, "It may have been done; the same token sent again tells."))
              .header("Retry-After", "1");
    };
  }

  private static MutableHttpResponse<byte[]> of(Answer answer) {
    return HttpResponse.<byte[]>status(HttpStatus.valueOf(answer.status()))
        .body(answer.body())
        .contentType(answer.status() < REFUSALS ? MediaType.APPLICATION_JSON : Problem.MEDIA_TYPE);
  }

  private static MutableHttpResponse<Problem> problem(Problem problem) {
    return HttpResponse.<Problem>status(HttpStatus.valueOf(problem.status()))
        .body(problem)
        .contentType(Problem.MEDIA_TYPE);
  }
}
