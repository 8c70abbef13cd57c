package io.holdfast.access;

import io.holdfast.access.Recognition.Known;
import io.holdfast.access.Recognition.Stranger;
import io.holdfast.access.Recognition.Unsure;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.security.filters.SecurityFilter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Lets in who has a valid key with the scope that the route's `@Secured` asks for, as often as its
/// limit allows. It stands where the filter of Micronaut Security stood, and does the same without
/// reactive types: a known key is let in on the event loop, at once.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
@Order(Doorkeeper.AFTER_TRACING)
final class Doorkeeper {
  static final int AFTER_TRACING = 1_000;

  private static final String ALLOWANCE = "holdfast.allowance";

  private final RouteRules rules;
  private final KeyRing ring;
  private final SecondLook secondLook;
  private final RateLimits limits;

  Doorkeeper(RouteRules rules, KeyRing ring, SecondLook secondLook, RateLimits limits) {
    this.rules = rules;
    this.ring = ring;
    this.secondLook = secondLook;
    this.limits = limits;
  }

  /// Null lets the request go on.
  @RequestFilter
  @Nullable CompletionStage<@Nullable HttpResponse<?>> admit(HttpRequest<?> request) {
    var rule = rules.of(request);
    if (rule.isOpen()) {
      return null;
    }
    var key = BearerKey.in(request);
    if (key == null) {
      return CompletableFuture.completedStage(Refusals.unauthenticated());
    }
    var caller = ring.find(key);
    if (caller == null) {
      return secondLook.at(key).thenApply(recognition -> judge(request, rule, recognition));
    }
    var refusal = judge(request, rule, caller);
    return refusal == null ? null : CompletableFuture.completedStage(refusal);
  }

  @ResponseFilter
  void tellWhatIsLeft(HttpRequest<?> request, MutableHttpResponse<?> response) {
    if (limits.areOff()) {
      return;
    }
    var allowance = request.getAttribute(ALLOWANCE, Allowance.class).orElse(null);
    if (allowance != null) {
      allowance.tell(response);
    }
  }

  private @Nullable HttpResponse<?> judge(
      HttpRequest<?> request, RouteRule rule, Recognition recognition) {
    return switch (recognition) {
      case Known(var caller) -> judge(request, rule, caller);
      case Stranger() -> Refusals.unauthenticated();
      case Unsure() -> Refusals.unsure();
    };
  }

  private @Nullable HttpResponse<?> judge(HttpRequest<?> request, RouteRule rule, Caller caller) {
    request.setAttribute(SecurityFilter.AUTHENTICATION, caller);
    if (!limits.areOff()) {
      var allowance = limits.take(caller);
      request.setAttribute(ALLOWANCE, allowance);
      if (!allowance.isGranted()) {
        return Refusals.rateLimited(allowance);
      }
    }
    return rule.admits(caller) ? null : Refusals.forbidden(rule);
  }
}
