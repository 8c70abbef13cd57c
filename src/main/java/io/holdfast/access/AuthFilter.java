package io.holdfast.access;

import io.holdfast.access.AuthResult.InvalidJwt;
import io.holdfast.access.AuthResult.JwksUnavailable;
import io.holdfast.access.AuthResult.KeyStoreUnavailable;
import io.holdfast.access.AuthResult.Known;
import io.holdfast.access.AuthResult.UnknownKey;
import io.holdfast.access.jwt.JwtAuthenticator;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.security.filters.SecurityFilter;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Authenticates and authorises every request: finds the caller by API key or JWT, takes from its
/// rate limit, and checks the scope that the route's `@Secured` asks for. It replaces the filter of
/// Micronaut Security, without reactive types: a known API key is checked on the event loop.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class AuthFilter {
  /// After the trace, so that refusals have a trace id. Micronaut ignores an order on the class.
  private static final int AFTER_TRACING = 1_000;

  /// A response filter does not see the responses of request filters that come later in the order,
  /// so this one has to come before `authenticate`.
  private static final int BEFORE_REFUSALS = AFTER_TRACING - 1;

  private static final String BEARER = "Bearer ";
  private static final int HEADER_LENGTH_MAX = 8_192;
  private static final String RATE_LIMIT = "holdfast.allowance";

  private final RouteRules rules;
  private final ApiKeyCache keys;
  private final UnknownKeyRefresh unknownKeys;
  private final JwtAuthenticator jwts;
  private final RateLimits limits;
  private final TicketCheck tickets;

  AuthFilter(
      RouteRules rules,
      ApiKeyCache keys,
      UnknownKeyRefresh unknownKeys,
      JwtAuthenticator jwts,
      RateLimits limits,
      TicketCheck tickets) {
    this.rules = rules;
    this.keys = keys;
    this.unknownKeys = unknownKeys;
    this.jwts = jwts;
    this.limits = limits;
    this.tickets = tickets;
  }

  /// Null lets the request continue at once. A refusal is thrown as a `ProblemException`.
  @RequestFilter
  @Order(AFTER_TRACING)
  @Nullable CompletionStage<@Nullable HttpRequest<?>> authenticate(HttpRequest<?> request) {
    var rule = rules.of(request);
    if (rule.isOpen()) {
      return null;
    }
    var credential = bearerCredential(request);
    if (credential == null) {
      if (tickets.isAdmitted(request)) {
        return null;
      }
      throw AuthProblems.unauthenticated();
    }
    var hash = ApiKeyHash.of(credential);
    var caller = keys.find(hash);
    if (caller != null) {
      authorize(request, rule, caller);
      return null;
    }
    var result =
        jwts.accepts(credential) ? jwts.authenticate(credential) : unknownKeys.lookUp(hash);
    return result.thenApply(found -> authorize(request, rule, callerOf(found)));
  }

  @ResponseFilter
  @Order(BEFORE_REFUSALS)
  void addRateLimitHeaders(HttpRequest<?> request, MutableHttpResponse<?> response) {
    if (limits.areOff()) {
      return;
    }
    var result = request.getAttribute(RATE_LIMIT, RateLimitResult.class).orElse(null);
    if (result != null) {
      result.addHeaders(response);
    }
  }

  /// Null if the header is missing, too long, or of another scheme.
  private static @Nullable String bearerCredential(HttpRequest<?> request) {
    var header = request.getHeaders().get(HttpHeaders.AUTHORIZATION);
    if (header == null
        || header.length() > HEADER_LENGTH_MAX
        || !header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return null;
    }
    return header.substring(BEARER.length()).strip();
  }

  private static Caller callerOf(AuthResult result) {
    return switch (result) {
      case Known(var caller) -> caller;
      case UnknownKey() -> throw AuthProblems.unauthenticated();
      case KeyStoreUnavailable() -> throw AuthProblems.keyStoreUnavailable();
      case InvalidJwt(var why) -> throw AuthProblems.invalidJwt(why);
      case JwksUnavailable() -> throw AuthProblems.jwksUnavailable();
    };
  }

  private HttpRequest<?> authorize(HttpRequest<?> request, RouteRule rule, Caller caller) {
    request.setAttribute(SecurityFilter.AUTHENTICATION, caller);
    if (!limits.areOff()) {
      var result = limits.take(caller);
      request.setAttribute(RATE_LIMIT, result);
      if (!result.isGranted()) {
        throw AuthProblems.rateLimited(result);
      }
    }
    if (!rule.admits(caller)) {
      throw AuthProblems.forbidden(rule);
    }
    return request;
  }
}
