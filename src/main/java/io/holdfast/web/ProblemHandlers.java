package io.holdfast.web;

import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.context.annotation.Factory;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;

/// What the exceptions of our own vocabulary become, wherever a route lets them through.
@Factory
public final class ProblemHandlers {
  private static final String RETRY_AFTER_SECONDS = "1";

  @Singleton
  ExceptionHandler<ProblemException, HttpResponse<Problem>> refused() {
    return (_, e) -> e.response();
  }

  @Singleton
  ExceptionHandler<InvalidField, HttpResponse<Problem>> invalidField() {
    return (_, e) -> answer(HttpStatus.BAD_REQUEST, e.problem());
  }

  @Singleton
  ExceptionHandler<UnparsableBody, HttpResponse<Problem>> unparsableBody() {
    return (_, e) -> answer(HttpStatus.BAD_REQUEST, Problem.invalid(null, e.getMessage()));
  }

  @Singleton
  ExceptionHandler<PostgresUnavailable, HttpResponse<Problem>> postgresUnavailable() {
    return (_, e) -> unavailable(e.isDefinite());
  }

  public static MutableHttpResponse<Problem> unavailable(boolean definite) {
    var detail =
        definite
            ? "Postgres is away and nothing was done; ask again."
            : "Postgres is away and may have done it; the same token sent again tells.";
    return answer(HttpStatus.SERVICE_UNAVAILABLE, Problem.unavailable(definite, detail))
        .header("Retry-After", RETRY_AFTER_SECONDS);
  }

  private static MutableHttpResponse<Problem> answer(HttpStatus status, Problem problem) {
    return HttpResponse.<Problem>status(status).body(problem).contentType(Problem.MEDIA_TYPE);
  }
}
