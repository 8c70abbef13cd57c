package io.holdfast.waiting;

import io.holdfast.activity.ActivePools;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldReplies;
import io.holdfast.hold.HoldScripts;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TicketId;
import io.holdfast.pool.TicketRecord;
import io.holdfast.pool.WaitingRoom;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import io.holdfast.redis.ScriptBatches;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.waiting.WaitingReplies.Behind;
import io.holdfast.waiting.WaitingReplies.Head;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Calls the scripts of `redis-scripts/waiting/`, one method each. Calls of requesters are batched
/// like those for holds. The others wait for the reply, and fail with `RedisUnavailable`. Every
/// call may be repeated, as the *Replay* line of its script says.
@Singleton
final class WaitingScripts {
  /// Tickets of one queue. They take about 600 bytes of Redis' memory each.
  private static final int WAITING_MAX = 1_000_000;

  private static final Script JOIN = Script.named("waiting/join");
  private static final Script LOOK = Script.named("waiting/look");
  private static final Script LEAVE = Script.named("waiting/leave");
  private static final Script BEHIND = Script.named("waiting/behind");
  private static final Script SWEEP = Script.named("waiting/sweep");
  private static final Script HEAD = Script.named("waiting/head");
  private static final Script ADMIT = Script.named("waiting/admit");
  private static final Script REVOKE = Script.named("waiting/revoke");
  private static final Script PACE = Script.named("waiting/pace");
  private static final Script ARRANGE = Script.named("waiting/arrange");

  private final ScriptBatches batches;
  private final RedisScripts scripts;
  private final HoldScripts holds;
  private final ActivePools active;

  WaitingScripts(
      ScriptBatches batches, RedisScripts scripts, HoldScripts holds, ActivePools active) {
    this.batches = batches;
    this.scripts = scripts;
    this.holds = holds;
    this.active = active;
  }

  CompletionStage<HoldOutcome> join(IdempotentRequest call, String requester, String seal) {
    var pool = call.pool();
    var header = List.of(grace(pool), pace(pool), Integer.toString(WAITING_MAX));
    var token = call.token().value();
    return batches
        .call(JOIN, pool.name(), header, 1, call.caller(), token, digest(call), requester, seal)
        .thenApply(HoldReplies::read)
        .whenComplete((outcome, failure) -> holds.noteWrite(pool.name(), outcome, failure));
  }

  CompletionStage<HoldOutcome> look(Pool pool, TicketId ticket, String caller) {
    var number = Long.toString(ticket.number());
    return batches
        .call(LOOK, pool.name(), lookHeader(pool), 1, number, caller, ticket.requester())
        .thenApply(WaitingReplies::readLook);
  }

  /// The ticket of a caller.
  record OwnTicket(TicketId id, String caller) {}

  /// Looks at all these tickets in one call, which does not wait with calls of requesters and is
  /// not refused with them. Returns one outcome for each.
  List<HoldOutcome> lookAll(Pool pool, List<OwnTicket> tickets) {
    var arguments = new ArrayList<>(lookHeader(pool));
    for (var ticket : tickets) {
      arguments.add(Long.toString(ticket.id().number()));
      arguments.add(ticket.caller());
      arguments.add(ticket.id().requester());
    }
    var replies = reply(LOOK, pool.name(), arguments.toArray(String[]::new));
    return WaitingReplies.readLooks(replies, tickets.size());
  }

  CompletionStage<HoldOutcome> leave(IdempotentRequest call, TicketId ticket) {
    return batches
        .call(
            LEAVE,
            ticket.pool(),
            List.of(),
            1,
            call.caller(),
            call.token().value(),
            digest(call),
            Long.toString(ticket.number()),
            ticket.requester())
        .thenApply(HoldReplies::read)
        .whenComplete((outcome, failure) -> holds.noteWrite(ticket.pool(), outcome, failure));
  }

  /// Issues a ticket again that neither Redis nor Postgres knows.
  CompletionStage<Behind> reissue(Pool pool, TicketId ticket, String caller) {
    var number = Long.toString(ticket.number());
    return batches
        .call(
            BEHIND,
            pool.name(),
            List.of(grace(pool)),
            1,
            number,
            caller,
            ticket.requester(),
            ticket.seal(),
            "")
        .whenComplete((_, _) -> active.wrote(pool.name()))
        .thenApply(WaitingReplies::readBehind);
  }

  /// Gives new places to tickets whose places are not behind the committed one.
  void putBehind(Pool pool, List<TicketRecord> tickets, long committed) {
    var arguments = new String[1 + 5 * tickets.size()];
    var next = 0;
    arguments[next++] = grace(pool);
    for (var ticket : tickets) {
      arguments[next++] = Long.toString(ticket.number());
      arguments[next++] = ticket.caller();
      arguments[next++] = ticket.requester();
      arguments[next++] = ticket.seal();
      arguments[next++] = Long.toString(committed);
    }
    WaitingReplies.refuseUnseeded(reply(BEHIND, pool.name(), arguments));
    active.wrote(pool.name());
  }

  /// Returns the number of tickets whose time was over; empty if the pool is not open.
  OptionalInt sweep(PoolName pool, int ticketsMax) {
    var swept = WaitingReplies.readSweep(reply(SWEEP, pool, Integer.toString(ticketsMax)));
    if (swept.orElse(0) > 0) {
      active.wrote(pool);
    }
    return swept;
  }

  /// Returns null if the pool is not open.
  @Nullable Head head(PoolName pool, int tickets) {
    return WaitingReplies.readHead(reply(HEAD, pool, Integer.toString(tickets)));
  }

  /// @param passes number, end and REVOKED or VALID by turns
  void admit(PoolName pool, List<String> passes) {
    WaitingReplies.refuseUnseeded(reply(ADMIT, pool, passes.toArray(String[]::new)));
    active.wrote(pool);
  }

  /// Returns false if the pool is not open.
  boolean revoke(PoolName pool, long number, long passUntilMs) {
    var arguments = new String[] {Long.toString(number), Long.toString(passUntilMs)};
    var isOpen = !WaitingReplies.isUnseeded(reply(REVOKE, pool, arguments));
    if (isOpen) {
      active.wrote(pool);
    }
    return isOpen;
  }

  void pace(PoolName pool, @Nullable Duration measured) {
    reply(PACE, pool, measured == null ? "" : ms(measured));
  }

  /// @param places number and place by turns
  void arrange(PoolName pool, List<String> places) {
    WaitingReplies.refuseUnseeded(reply(ARRANGE, pool, places.toArray(String[]::new)));
  }

  private static List<String> lookHeader(Pool pool) {
    return List.of(
        grace(pool), pace(pool), Integer.toString(pool.itemCount()), Long.toString(pool.version()));
  }

  private List<String> reply(Script script, PoolName pool, String... arguments) {
    return ScriptReplies.await(scripts.call(script, pool, arguments));
  }

  static WaitingRoom room(Pool pool) {
    return Objects.requireNonNull(pool.policy().waitingRoom());
  }

  private static String digest(IdempotentRequest call) {
    return call.digest().value();
  }

  private static String grace(Pool pool) {
    return ms(room(pool).grace());
  }

  private static String pace(Pool pool) {
    var pace = room(pool).pace();
    return pace == null ? "" : ms(pace);
  }

  private static String ms(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
