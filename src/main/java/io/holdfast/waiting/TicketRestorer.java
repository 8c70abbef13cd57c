package io.holdfast.waiting;

import io.holdfast.pass.Passes;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.TicketRecord;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.SeedingContributor;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/// Restores the queue and the valid passes of a pool from Postgres, in chunks.
@Singleton
final class TicketRestorer implements SeedingContributor {
  private static final int CHUNK = 500;

  private final TicketTable tickets;
  private final PoolScripts scripts;
  private final Passes passes;

  TicketRestorer(TicketTable tickets, PoolScripts scripts, Passes passes) {
    this.tickets = tickets;
    this.scripts = scripts;
    this.passes = passes;
  }

  @Override
  public void load(Pool pool, Epoch epoch) {
    if (pool.policy().waitingRoom() == null) {
      return;
    }
    restoreWaiting(pool, epoch);
    restoreAdmitted(pool, epoch);
  }

  private void restoreWaiting(Pool pool, Epoch epoch) {
    for (var after = 0L; ; ) {
      var chunk = tickets.waiting(pool.name(), after, CHUNK);
      if (chunk.isEmpty()) {
        return;
      }
      var arguments = arguments(pool);
      for (var ticket : chunk) {
        arguments.add(ticket.format());
        arguments.add("WAITING");
      }
      scripts.restoreTickets(pool.name(), epoch, arguments);
      after = chunk.getLast().place();
    }
  }

  private void restoreAdmitted(Pool pool, Epoch epoch) {
    for (var after = 0L; ; ) {
      var chunk = tickets.admitted(pool.name(), after, CHUNK);
      if (chunk.isEmpty()) {
        return;
      }
      var arguments = arguments(pool);
      for (var admitted : chunk) {
        arguments.add(sealed(pool, admitted.ticket()).format());
        arguments.add(admitted.kind());
      }
      scripts.restoreTickets(pool.name(), epoch, arguments);
      after = chunk.getLast().ticket().number();
    }
  }

  /// An admission whose ticket was lost before it reached Postgres has no seal.
  private TicketRecord sealed(Pool pool, TicketRecord ticket) {
    return ticket.seal().isEmpty()
        ? ticket.withSeal(passes.seal(pool.name(), ticket.caller(), ticket.requester()))
        : ticket;
  }

  private static List<String> arguments(Pool pool) {
    var grace = WaitingScripts.room(pool).grace().toMillis();
    return new ArrayList<>(List.of(Long.toString(grace)));
  }
}
