package io.holdfast.access;

import io.holdfast.web.Problem;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;

/// The answers of the doorkeeper. None of them is ever stored under a token.
final class Refusals {
  private static final Problem UNAUTHENTICATED =
      Problem.refused(
          HttpStatus.UNAUTHORIZED,
          "unauthenticated",
          "This needs a valid key, sent as Authorization: Bearer <key>.");

  private static final Problem UNSURE =
      Problem.unavailable(
          true, "The key is not known here and Postgres cannot be asked; nothing was done.");

  private Refusals() {}

  static MutableHttpResponse<Problem> unauthenticated() {
    return answer(UNAUTHENTICATED).header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
  }

  static MutableHttpResponse<Problem> unsure() {
    return answer(UNSURE).header(HttpHeaders.RETRY_AFTER, "1");
  }

  static MutableHttpResponse<Problem> forbidden(RouteRule rule) {
    var detail =
        rule.anyOf().isEmpty()
            ? "No key opens this."
            : "The key lacks the scope " + rule.needs() + ", which this needs.";
    return answer(Problem.refused(HttpStatus.FORBIDDEN, "forbidden", detail));
  }

  static MutableHttpResponse<Problem> ungivable(Scope scope) {
    var detail = "A key without the scope " + scope.word() + " cannot give it to another.";
    return answer(Problem.refused(HttpStatus.FORBIDDEN, "forbidden", detail));
  }

  static MutableHttpResponse<Problem> rateLimited(Allowance allowance) {
    var detail = "This caller asks more often than its limit allows; nothing was done.";
    return answer(Problem.refused(HttpStatus.TOO_MANY_REQUESTS, "rate-limited", detail))
        .header(HttpHeaders.RETRY_AFTER, Long.toString(allowance.secondsToWait()));
  }

  private static MutableHttpResponse<Problem> answer(Problem problem) {
    return HttpResponse.<Problem>status(HttpStatus.valueOf(problem.status()))
        .body(problem)
        .contentType(Problem.MEDIA_TYPE);
  }
}
