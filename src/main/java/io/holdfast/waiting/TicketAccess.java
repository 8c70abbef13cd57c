package io.holdfast.waiting;

import io.holdfast.access.Caller;
import io.holdfast.hold.HoldResponses;
import io.holdfast.pass.Passes;
import io.holdfast.pool.TicketId;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Optional;

/// Whose tickets a caller may use: those that were issued to the same caller, and with a JWT those
/// of its subject.
@Singleton
final class TicketAccess {
  private final Passes passes;

  TicketAccess(Passes passes) {
    this.passes = passes;
  }

  /// Empty for a ticket of another caller.
  Optional<TicketId> ownTicket(String ticket, Caller caller) {
    var id = TicketId.parse(ticket).filter(each -> passes.isSealed(each, caller.name()));
    id.ifPresent(each -> caller.refuseOtherRequester(Map.of("requester", each.requester())));
    return id;
  }

  static MutableHttpResponse<?> unknownTicket() {
    return HoldResponses.problem(
        Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such ticket."));
  }
}
