package io.holdfast.access;

import io.micronaut.http.HttpRequest;
import io.micronaut.management.endpoint.EndpointSensitivityProcessor;
import io.micronaut.security.annotation.Secured;
import io.micronaut.web.router.MethodBasedRouteInfo;
import io.micronaut.web.router.RouteAttributes;
import io.micronaut.web.router.RouteInfo;
import jakarta.inject.Singleton;

/// The rule of each route, from its `@Secured`. A route without one is closed, so that a forgotten
/// annotation grants nothing. Management endpoints of Micronaut are open if they are configured as
/// not sensitive. A request without a route is open: it gets a static page or a 404.
@Singleton
final class RouteRules {
  private final EndpointSensitivityProcessor endpoints;

  RouteRules(EndpointSensitivityProcessor endpoints) {
    this.endpoints = endpoints;
  }

  RouteRule of(HttpRequest<?> request) {
    var match = RouteAttributes.getRouteMatch(request).orElse(null);
    return match == null ? RouteRule.OPEN : of(match.getRouteInfo());
  }

  RouteRule of(RouteInfo<?> route) {
    var words = route.getAnnotationMetadata().stringValues(Secured.class);
    if (words.length > 0) {
      return RouteRule.of(words);
    }
    return isOpenEndpoint(route) ? RouteRule.OPEN : RouteRule.CLOSED;
  }

  private boolean isOpenEndpoint(RouteInfo<?> route) {
    return route instanceof MethodBasedRouteInfo<?, ?> method
        && Boolean.FALSE.equals(
            endpoints.getEndpointMethods().get(method.getTargetMethod().getExecutableMethod()));
  }
}
