package io.holdfast.access;

import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpStatus;

/// The answers of the doorkeeper. None of them is ever stored under a token.
final class AuthProblems {
  private static final Problem UNAUTHENTICATED =
      Problem.refused(
          HttpStatus.UNAUTHORIZED,
          "unauthenticated",
          "This needs a valid key, sent as Authorization: Bearer <key>.");

  private static final Problem UNSURE =
      Problem.unavailable(
          true, "The key is not known here and Postgres cannot be asked; nothing was done.");

  private static final Problem UNJUDGED =
      Problem.unavailable(
          true, "The keys that JWTs are signed with cannot be read now; nothing was done.");

  private static final Problem NOT_YOURS =
      Problem.refused(
          HttpStatus.FORBIDDEN,
          "not-yours",
          "The requester has to be the subject of the JWT; nothing was done.");

  private AuthProblems() {}

  static ProblemException unauthenticated() {
    return new ProblemException(UNAUTHENTICATED).with(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
  }

  static ProblemException unsure() {
    return new ProblemException(UNSURE).with(HttpHeaders.RETRY_AFTER, "1");
  }

  static ProblemException distrusted(String why) {
    return new ProblemException(Problem.refused(HttpStatus.UNAUTHORIZED, "unauthenticated", why))
        .with(HttpHeaders.WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"");
  }

  static ProblemException unjudged() {
    return new ProblemException(UNJUDGED).with(HttpHeaders.RETRY_AFTER, "5");
  }

  static ProblemException notYours() {
    return new ProblemException(NOT_YOURS);
  }

  static ProblemException forbidden(RouteRule rule) {
    var detail =
        rule.anyOf().isEmpty()
            ? "No key opens this."
            : "The key lacks the scope " + rule.needs() + ", which this needs.";
    return new ProblemException(Problem.refused(HttpStatus.FORBIDDEN, "forbidden", detail));
  }

  static ProblemException ungivable(Scope scope) {
    var detail = "A key without the scope " + scope.word() + " cannot give it to another.";
    return new ProblemException(Problem.refused(HttpStatus.FORBIDDEN, "forbidden", detail));
  }

  static ProblemException rateLimited(RateLimitResult allowance) {
    var detail = "This caller asks more often than its limit allows; nothing was done.";
    return new ProblemException(
            Problem.refused(HttpStatus.TOO_MANY_REQUESTS, "rate-limited", detail))
        .with(HttpHeaders.RETRY_AFTER, Long.toString(allowance.secondsToWait()));
  }
}
