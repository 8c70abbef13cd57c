package io.holdfast.waiting;

import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.TicketSeen;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.pass.Passes;
import io.holdfast.pool.Pool;
import io.holdfast.pool.QueuePosition;
import io.holdfast.pool.StoredOutcome.Left;
import io.holdfast.pool.TicketId;
import io.holdfast.pool.TicketRecord;
import io.holdfast.waiting.TicketTable.Found;
import io.holdfast.waiting.TicketView.State;
import io.holdfast.waiting.WaitingScripts.OwnTicket;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/// Gives, shows and ends tickets. Redis has the tickets that wait and the valid passes; Postgres
/// has what ended before. A ticket that both have lost is issued again behind all others.
@Singleton
final class WaitingRoomService {
  private final HoldService holds;
  private final WaitingScripts scripts;
  private final TicketTable table;
  private final Passes passes;
  private final AdmissionTask admissions;
  private final ExecutorService executor;

  WaitingRoomService(
      HoldService holds,
      WaitingScripts scripts,
      TicketTable table,
      Passes passes,
      AdmissionTask admissions,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.scripts = scripts;
    this.table = table;
    this.passes = passes;
    this.admissions = admissions;
    this.executor = executor;
  }

  CompletionStage<HoldOutcome> join(IdempotentRequest call, String requester) {
    var pool = call.pool();
    var seal = passes.seal(pool.name(), call.caller(), requester);
    return holds
        .write(call, () -> scripts.join(call, requester, seal))
        .whenComplete((_, _) -> admissions.joined(pool.name()));
  }

  /// Ends the ticket. A ticket that ended before has that end.
  CompletionStage<HoldOutcome> leave(IdempotentRequest call, TicketId ticket) {
    return holds
        .write(call, () -> scripts.leave(call, ticket))
        .thenCompose(
            outcome ->
                outcome instanceof Absent
                    ? CompletableFuture.supplyAsync(() -> leaveAbsent(call, ticket), executor)
                    : CompletableFuture.completedStage(outcome));
  }

  /// A lost ticket that leaves needs no place behind.
  private HoldOutcome leaveAbsent(IdempotentRequest call, TicketId ticket) {
    return table
        .find(ticket.pool(), ticket.number())
        .filter(found -> isOf(found.ticket(), ticket, call.caller()))
        .<HoldOutcome>map(found -> new Decided(new Left(ended(found.ticket()))))
        .orElseGet(Absent::new);
  }

  /// Redis has forgotten an admitted ticket because its pass is over.
  private static TicketRecord ended(TicketRecord ticket) {
    return ticket.state() == TicketRecord.State.ADMITTED
        ? ticket.endedAs(TicketRecord.State.EXPIRED, ticket.passUntil())
        : ticket;
  }

  /// The result of looking at a ticket.
  sealed interface Look {
    record Shown(TicketView view) implements Look {}

    record NotKnown() implements Look {}

    /// Redis is away or refuses calls.
    record Failed(HoldOutcome outcome) implements Look {}
  }

  CompletionStage<Look> look(Pool pool, TicketId ticket, String caller) {
    return holds
        .send(pool, () -> scripts.look(pool, ticket, caller))
        .thenCompose(
            outcome ->
                outcome instanceof Absent
                    ? lookElsewhere(pool, ticket, caller)
                    : CompletableFuture.completedStage(shown(pool, ticket, outcome)));
  }

  /// Looks at tickets in one call. Those that Redis cannot show are then looked at one by one,
  /// which opens a lost pool and asks Postgres. For threads that may block; fails with
  /// `RedisUnavailable`.
  List<CompletionStage<Look>> lookAll(Pool pool, List<OwnTicket> tickets) {
    var outcomes = scripts.lookAll(pool, tickets);
    var looks = new ArrayList<CompletionStage<Look>>(tickets.size());
    for (var i = 0; i < tickets.size(); i++) {
      var ticket = tickets.get(i);
      looks.add(
          outcomes.get(i) instanceof TicketSeen seen
              ? CompletableFuture.completedStage(shown(pool, ticket.id(), seen))
              : look(pool, ticket.id(), ticket.caller()));
    }
    return looks;
  }

  private Look shown(Pool pool, TicketId id, HoldOutcome outcome) {
    return outcome instanceof TicketSeen seen
        ? new Look.Shown(view(pool, id, seen))
        : new Look.Failed(outcome);
  }

  TicketView view(Pool pool, TicketId id, TicketSeen seen) {
    var ticket = seen.ticket();
    var isRequeued = ticket.isRequeued();
    return switch (ticket.state()) {
      case WAITING ->
          seen.isSoldOut()
              ? TicketView.waiting(id.toString(), State.SOLD_OUT, isRequeued, QueuePosition.NONE)
              : TicketView.waiting(id.toString(), State.WAITING, isRequeued, seen.position());
      case ADMITTED -> admitted(pool, id, ticket, isAfter(ticket.passUntil(), seen.at()));
      case LEFT -> TicketView.ended(id.toString(), State.LEFT, isRequeued, ticket.passUntil());
      case EXPIRED ->
          TicketView.ended(id.toString(), State.EXPIRED, isRequeued, ticket.passUntil());
    };
  }

  private TicketView admitted(Pool pool, TicketId id, TicketRecord ticket, boolean isValid) {
    var until = ticket.passUntil();
    if (!isValid || until == null) {
      return TicketView.ended(id.toString(), State.EXPIRED, ticket.isRequeued(), until);
    }
    var pass =
        passes.issue(pool.name(), ticket.number(), until, ticket.caller(), ticket.requester());
    return TicketView.admitted(id.toString(), ticket.isRequeued(), pass, until);
  }

  private CompletionStage<Look> lookElsewhere(Pool pool, TicketId id, String caller) {
    return CompletableFuture.supplyAsync(() -> table.find(pool.name(), id.number()), executor)
        .thenCompose(
            found -> {
              if (found.isPresent() && !isOf(found.get().ticket(), id, caller)) {
                return CompletableFuture.completedStage(new Look.NotKnown());
              }
              return found.isPresent() && !isLost(found.get())
                  ? CompletableFuture.completedStage(shown(pool, id, found.get()))
                  : reissue(pool, id, caller);
            });
  }

  /// It waits in Postgres, and Redis does not have it.
  private static boolean isLost(Found found) {
    return found.ticket().state() == TicketRecord.State.WAITING;
  }

  private Look shown(Pool pool, TicketId id, Found found) {
    var ticket = found.ticket();
    return new Look.Shown(
        switch (ticket.state()) {
          case ADMITTED -> admitted(pool, id, ticket, found.isValid());
          case LEFT ->
              TicketView.ended(id.toString(), State.LEFT, ticket.isRequeued(), ticket.passUntil());
          case WAITING, EXPIRED ->
              TicketView.ended(
                  id.toString(), State.EXPIRED, ticket.isRequeued(), ticket.passUntil());
        });
  }

  private CompletionStage<Look> reissue(Pool pool, TicketId id, String caller) {
    return scripts
        .reissue(pool, id, caller)
        .thenCompose(
            behind ->
                switch (behind) {
                  case REQUEUED, PRESENT -> {
                    admissions.joined(pool.name());
                    yield holds
                        .send(pool, () -> scripts.look(pool, id, caller))
                        .thenApply(
                            outcome ->
                                outcome instanceof Absent
                                    ? new Look.NotKnown()
                                    : shown(pool, id, outcome));
                  }
                  case OTHER ->
                      CompletableFuture.completedStage(
                          new Look.Shown(
                              TicketView.ended(id.toString(), State.EXPIRED, false, null)));
                  case ABSENT -> CompletableFuture.completedStage(new Look.NotKnown());
                  case UNSEEDED ->
                      CompletableFuture.completedStage(
                          new Look.Failed(new Away(true, "The pool is being loaded into Redis")));
                });
  }

  private static boolean isOf(TicketRecord found, TicketId asked, String caller) {
    return found.caller().equals(caller) && found.requester().equals(asked.requester());
  }

  private static boolean isAfter(@Nullable Instant moment, Instant now) {
    return moment != null && moment.isAfter(now);
  }
}
