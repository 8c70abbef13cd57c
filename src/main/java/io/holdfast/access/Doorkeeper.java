package io.holdfast.access;

import io.holdfast.access.Recognition.Distrusted;
import io.holdfast.access.Recognition.Known;
import io.holdfast.access.Recognition.Stranger;
import io.holdfast.access.Recognition.Unjudged;
import io.holdfast.access.Recognition.Unsure;
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
final class Doorkeeper {
  /// After the trace, so that refusals have one too. The order of a filter's class does not count.
  private static final int AFTER_TRACING = 1_000;

  /// Answers of filters that come later in the order do not pass here, and refusals have to.
  private static final int BEFORE_REFUSALS = AFTER_TRACING - 1;

  private static final String ALLOWANCE = "holdfast.allowance";

  private final RouteRules rules;
  private final KeyRing ring;
  private final SecondLook secondLook;
  private final Jwts jwts;
  private final RateLimits limits;

  Doorkeeper(RouteRules rules, KeyRing ring, SecondLook secondLook, Jwts jwts, RateLimits limits) {
    this.rules = rules;
    this.ring = ring;
    this.secondLook = secondLook;
    this.jwts = jwts;
    this.limits = limits;
  }

  /// Null lets the request go on, at once; who is not let in meets `Refused`.
  @RequestFilter
  @Order(AFTER_TRACING)
  @Nullable CompletionStage<@Nullable HttpRequest<?>> admit(HttpRequest<?> request) {
    var rule = rules.of(request);
    if (rule.isOpen()) {
      return null;
    }
    var text = BearerKey.in(request);
    if (text == null) {
      throw Refusals.unauthenticated();
    }
    var hash = KeyHash.of(text);
    var caller = ring.find(hash);
    if (caller == null) {
      var found = jwts.mayBe(text) ? jwts.judge(text) : secondLook.at(hash);
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
    var allowance = request.getAttribute(ALLOWANCE, Allowance.class).orElse(null);
    if (allowance != null) {
      allowance.tell(response);
    }
  }

  private HttpRequest<?> admit(HttpRequest<?> request, RouteRule rule, Recognition found) {
    switch (found) {
      case Known(var caller) -> admit(request, rule, caller);
      case Stranger() -> throw Refusals.unauthenticated();
      case Unsure() -> throw Refusals.unsure();
      case Distrusted(var why) -> throw Refusals.distrusted(why);
      case Unjudged() -> throw Refusals.unjudged();
    }
    return request;
  }

  private void admit(HttpRequest<?> request, RouteRule rule, Caller caller) {
    request.setAttribute(SecurityFilter.AUTHENTICATION, caller);
    if (!limits.areOff()) {
      var allowance = limits.take(caller);
      request.setAttribute(ALLOWANCE, allowance);
      if (!allowance.isGranted()) {
        throw Refusals.rateLimited(allowance);
      }
    }
    if (!rule.admits(caller)) {
      throw Refusals.forbidden(rule);
    }
  }
}
