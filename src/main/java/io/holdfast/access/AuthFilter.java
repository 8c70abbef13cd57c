package io.holdfast.access;

import io.holdfast.access.AuthResult.InvalidJwt;
import io.holdfast.access.AuthResult.JwksUnavailable;
import io.holdfast.access.AuthResult.KeyStoreUnavailable;
import io.holdfast.access.AuthResult.Known;
import io.holdfast.access.AuthResult.UnknownKey;
import io.holdfast.access.jwt.JwtAuthenticator;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.security.filters.SecurityFilter;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Lets in who has a valid key or JWT with the scope that the route's `@Secured` asks for, as often
/// as its limit allows. It stands where the filter of Micronaut Security stood, and does the same
/// without reactive types: a known key is let in on the event loop, at once.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class AuthFilter {
  /// After the trace, so that refusals have one too. The order of a filter's class does not count.
  private static final int AFTER_TRACING = 1_000;

  /// Answers of filters that come later in the order do not pass here, and refusals have to.
  private static final int BEFORE_REFUSALS = AFTER_TRACING - 1;

  private static final String ALLOWANCE = "holdfast.allowance";

  private final RouteRules rules;
  private final ApiKeyCache ring;
  private final UnknownKeyRefresh secondLook;
  private final JwtAuthenticator jwts;
  private final RateLimits limits;

  AuthFilter(
      RouteRules rules,
      ApiKeyCache ring,
      UnknownKeyRefresh secondLook,
      JwtAuthenticator jwts,
      RateLimits limits) {
    this.rules = rules;
    this.ring = ring;
    this.secondLook = secondLook;
    this.jwts = jwts;
    this.limits = limits;
  }

  /// Null lets the request go on, at once; who is not let in meets `ProblemException`.
  @RequestFilter
  @Order(AFTER_TRACING)
  @Nullable CompletionStage<@Nullable HttpRequest<?>> admit(HttpRequest<?> request) {
    var rule = rules.of(request);
    if (rule.isOpen()) {
      return null;
    }
    var text = BearerToken.in(request);
    if (text == null) {
      throw AuthProblems.unauthenticated();
    }
    var hash = ApiKeyHash.of(text);
    var caller = ring.find(hash);
    if (caller == null) {
      var found = jwts.accepts(text) ? jwts.authenticate(text) : secondLook.at(hash);
      return found.thenApply(known -> admit(request, rule, known));
    }
    admit(request, rule, caller);
    return null;
  }

  @ResponseFilter
  @Order(BEFORE_REFUSALS)
  void tellWhatIsLeft(HttpRequest<?> request, MutableHttpResponse<?> response) {
    if (limits.areOff()) {
      return;
    }
    var allowance = request.getAttribute(ALLOWANCE, RateLimitResult.class).orElse(null);
    if (allowance != null) {
      allowance.tell(response);
    }
  }

  private HttpRequest<?> admit(HttpRequest<?> request, RouteRule rule, AuthResult found) {
    switch (found) {
      case Known(var caller) -> admit(request, rule, caller);
      case UnknownKey() -> throw AuthProblems.unauthenticated();
      case KeyStoreUnavailable() -> throw AuthProblems.unsure();
      case InvalidJwt(var why) -> throw AuthProblems.distrusted(why);
      case JwksUnavailable() -> throw AuthProblems.unjudged();
    }
    return request;
  }

  private void admit(HttpRequest<?> request, RouteRule rule, Caller caller) {
    request.setAttribute(SecurityFilter.AUTHENTICATION, caller);
    if (!limits.areOff()) {
      var allowance = limits.take(caller);
      request.setAttribute(ALLOWANCE, allowance);
      if (!allowance.isGranted()) {
        throw AuthProblems.rateLimited(allowance);
      }
    }
    if (!rule.admits(caller)) {
      throw AuthProblems.forbidden(rule);
    }
  }
}
