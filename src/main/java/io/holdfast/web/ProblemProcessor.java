package io.holdfast.web;

import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import io.micronaut.web.router.exceptions.UnsatisfiedBodyRouteException;
import jakarta.inject.Singleton;

/// Turns every error response of Micronaut (no such route, broken JSON, too large a body, a bug)
/// into a problem, so that all refusals have one form.
@Singleton
final class ProblemProcessor implements ErrorResponseProcessor<Problem> {

  @Override
  public MutableHttpResponse<Problem> processResponse(
      ErrorContext context, MutableHttpResponse<?> response) {
    var status = response.status();
    var problem =
        status.getCode() >= 500
            ? Problem.unforeseen(status)
            : Problem.refused(status, code(status), detail(context, status));
    return response.body(problem).contentType(Problem.MEDIA_TYPE);
  }

  private static String code(HttpStatus status) {
    return switch (status) {
      case UNAUTHORIZED -> "unauthenticated";
      case FORBIDDEN -> "forbidden";
      case NOT_FOUND -> "not-known";
      case METHOD_NOT_ALLOWED -> "method-not-allowed";
      case NOT_ACCEPTABLE -> "not-acceptable";
      case REQUEST_ENTITY_TOO_LARGE -> "too-large";
      case UNSUPPORTED_MEDIA_TYPE -> "unsupported-media-type";
      case TOO_MANY_REQUESTS -> "rate-limited";
      default -> "invalid-request";
    };
  }

  private static String detail(ErrorContext context, HttpStatus status) {
    if (status == HttpStatus.NOT_FOUND) {
      return "There is no route %s; /docs lists all routes."
          .formatted(context.getRequest().getPath());
    }
    if (context.getRootCause().orElse(null) instanceof UnsatisfiedBodyRouteException) {
      return "The body is missing; send a JSON object.";
    }
    return context.getErrors().stream()
        .flatMap(error -> error.getMessage().lines()) // further lines are a parser's
        .map(String::strip)
        .findFirst()
        .orElse(status.getReason());
  }
}
