package io.holdfast.seatmap;

import io.holdfast.access.TicketCheck;
import io.holdfast.pass.StreamTickets;
import io.micronaut.http.HttpRequest;
import io.micronaut.web.router.RouteAttributes;
import jakarta.inject.Singleton;

/// Admits a stream ticket to the stream of its pool, and to no other route: a native `EventSource`
/// cannot send a key.
@Singleton
final class StreamTicketCheck implements TicketCheck {
  static final String PARAMETER = "ticket";

  private final StreamTickets tickets;

  StreamTicketCheck(StreamTickets tickets) {
    this.tickets = tickets;
  }

  @Override
  public boolean isAdmitted(HttpRequest<?> request) {
    var route = RouteAttributes.getRouteMatch(request).orElse(null);
    if (route == null
        || !route.getRouteInfo().getAnnotationMetadata().hasAnnotation(OpenToStreamTickets.class)) {
      return false;
    }
    var ticket = request.getParameters().get(PARAMETER);
    return ticket != null
        && tickets.isValid(ticket, String.valueOf(route.getVariableValues().get("pool")));
  }
}
