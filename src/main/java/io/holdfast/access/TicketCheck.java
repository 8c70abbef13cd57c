package io.holdfast.access;

import io.micronaut.http.HttpRequest;

/// Lets requests without a key pass that carry a signed ticket of their route. The ticket names no
/// caller, so a route that takes tickets must not ask for one.
public interface TicketCheck {

  /// Asked for each request to a closed route that has no credentials.
  boolean isAdmitted(HttpRequest<?> request);
}
