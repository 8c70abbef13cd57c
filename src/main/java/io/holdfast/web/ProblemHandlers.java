package io.holdfast.web;

import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.context.annotation.Factory;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;

/// Turns our own exceptions, if a route does not catch them, into responses.
@Factory
public final class ProblemHandlers {
  private static final String RETRY_AFTER_SECONDS = "1";

  @Singleton
  ExceptionHandler<ProblemException, HttpResponse<Problem>> refused() {
    return (_, e) -> e.response();
  }

  @Singleton
  ExceptionHandler<InvalidField, HttpResponse<Problem>> invalidField() {
    return (_, e) -> response(HttpStatus.BAD_REQUEST, e.problem());
  }

  @Singleton
  ExceptionHandler<UnparsableBody, HttpResponse<Problem>> unparsableBody() {
    return (_, e) -> response(HttpStatus.BAD_REQUEST, Problem.invalid(null, e.getMessage()));
  }

  @Singleton
  ExceptionHandler<PostgresUnavailable, HttpResponse<Problem>> postgresUnavailable() {
    return (_, e) -> unavailable(e.isDefinite());
  }

  public static MutableHttpResponse<Problem> unavailable(boolean definite) {
    var detail =
        definite
            ? "Postgres is unavailable; nothing was done. Retry with the same Idempotency-Key."
            : "Postgres is unavailable and may have carried out the request. Retry with the same"
                + " Idempotency-Key to get the outcome.";
    return response(HttpStatus.SERVICE_UNAVAILABLE, Problem.unavailable(definite, detail))
        .header("Retry-After", RETRY_AFTER_SECONDS);
  }

  private static MutableHttpResponse<Problem> response(HttpStatus status, Problem problem) {
    return HttpResponse.<Problem>status(status).body(problem).contentType(Problem.MEDIA_TYPE);
  }
}
