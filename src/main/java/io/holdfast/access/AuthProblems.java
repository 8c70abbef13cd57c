package io.holdfast.access;

import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpStatus;

/// The refusals of authentication and authorisation. None of them is stored under a token.
final class AuthProblems {
  private static final Problem UNAUTHENTICATED =
      Problem.refused(
          HttpStatus.UNAUTHORIZED,
          "unauthenticated",
          "This needs a valid key, sent as Authorization: Bearer <key>.");

  private static final Problem KEY_STORE_UNAVAILABLE =
      Problem.unavailable(
          true, "The key is not cached here and Postgres cannot be reached; nothing was done.");

  private static final Problem JWKS_UNAVAILABLE =
      Problem.unavailable(
          true, "The key that has signed the JWT cannot be read now; nothing was done.");

  private static final Problem OTHER_REQUESTER =
      Problem.refused(
          HttpStatus.FORBIDDEN,
          "not-yours",
          "The requester has to be the subject of the JWT; nothing was done.");

  private AuthProblems() {}

  static ProblemException unauthenticated() {
    return new ProblemException(UNAUTHENTICATED).with(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
  }

  static ProblemException keyStoreUnavailable() {
    return new ProblemException(KEY_STORE_UNAVAILABLE).with(HttpHeaders.RETRY_AFTER, "1");
  }

  static ProblemException invalidJwt(String why) {
    return new ProblemException(Problem.refused(HttpStatus.UNAUTHORIZED, "unauthenticated", why))
        .with(HttpHeaders.WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"");
  }

  static ProblemException jwksUnavailable() {
    return new ProblemException(JWKS_UNAVAILABLE).with(HttpHeaders.RETRY_AFTER, "5");
  }

  static ProblemException otherRequester() {
    return new ProblemException(OTHER_REQUESTER);
  }

  static ProblemException forbidden(RouteRule rule) {
    var detail =
        rule.anyOf().isEmpty()
            ? "No key has access to this."
            : "The key lacks the scope " + rule.scopeNames() + ", which this needs.";
    return new ProblemException(Problem.refused(HttpStatus.FORBIDDEN, "forbidden", detail));
  }

  static ProblemException scopeNotHeld(Scope scope) {
    var detail = "A key without the scope " + scope.word() + " cannot grant it to another key.";
    return new ProblemException(Problem.refused(HttpStatus.FORBIDDEN, "forbidden", detail));
  }

  static ProblemException otherCallersKey() {
    var detail =
        "Without the scope admin, a caller can make keys for itself only; nothing was done.";
    return new ProblemException(Problem.refused(HttpStatus.FORBIDDEN, "forbidden", detail));
  }

  static ProblemException rateLimited(RateLimitResult result) {
    var detail = "This caller has reached its rate limit; nothing was done.";
    return new ProblemException(
            Problem.refused(HttpStatus.TOO_MANY_REQUESTS, "rate-limited", detail))
        .with(HttpHeaders.RETRY_AFTER, Long.toString(result.secondsToWait()));
  }
}
