package io.holdfast.change;

import io.holdfast.change.ChangeLog.Change;
import io.holdfast.change.ChangeLog.Kind;
import io.holdfast.commitment.ItemBlocking;
import io.holdfast.commitment.ItemBlocking.Blocked;
import io.holdfast.commitment.ItemState;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.InstanceId;
import io.holdfast.seeding.ItemEntries;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.PoolScripts.Mark;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import jakarta.validation.constraints.Size;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes items out of sale and brings them back. A block has three steps. Redis first marks the
/// items, unless one of them is held or sold, so that no hold is placed any more. Postgres then
/// decides, and Redis takes its states. If the process dies in between, the marks lapse and the
/// reconciler gives Redis the states of Postgres.
@Singleton
final class ItemBlocks {
  private static final Logger LOG = LoggerFactory.getLogger(ItemBlocks.class);
  private static final int ITEMS_MAX = 1_000;
  private static final int TRIES_MAX = 3;
  private static final String BEHIND = "BEHIND";

  private final PoolScripts scripts;
  private final PoolSeeder seeder;
  private final IdempotencyStore results;
  private final IdempotencyHttp http;
  private final ChangeLog log;
  private final String self;
  private final AtomicLong marks = new AtomicLong();

  ItemBlocks(
      PoolScripts scripts,
      PoolSeeder seeder,
      IdempotencyStore results,
      IdempotencyHttp http,
      ChangeLog log,
      InstanceId instance) {
    this.scripts = scripts;
    this.seeder = seeder;
    this.results = results;
    this.http = http;
    this.log = log;
    this.self = instance.name();
  }

  /// The body of both requests.
  @Introspected
  @Schema(name = "ItemBlock")
  record Body(
      @Size(min = 1, max = ITEMS_MAX) @Schema(description = "All of them or none.")
          List<String> items,
      @Size(min = 1, max = 128) @Schema(description = "Is recorded with the change.")
          @Nullable String reason) {
    private static final BodyReader<Body> READER = BodyReader.of(Body.class);
  }

  /// @param items those that have changed; the others were so before
  @Serdeable
  @Schema(name = "ItemsBlocked")
  record Changed(String pool, String state, List<String> items) {}

  IdempotentResult block(
      IdempotentRouteCall call, Pool pool, Map<String, @Nullable Object> fields) {
    var before = results.find(call);
    if (before.isPresent()) {
      return before.get();
    }
    Body body;
    try {
      body = read(pool, fields);
    } catch (InvalidField e) {
      return results.once(call, _ -> http.stored(e.problem()));
    }
    for (var attempt = 0; attempt < TRIES_MAX; attempt++) {
      var result = tryBlock(call, pool, body);
      if (result != null) {
        return result;
      }
    }
    throw RedisUnavailable.notSent(new IllegalStateException("the pool is not open"));
  }

  private static Body read(Pool pool, Map<String, @Nullable Object> fields) {
    if (pool.kind() != PoolKind.SEATS) {
      throw InvalidField.of("items", "is allowed for pools of the kind SEATS only");
    }
    return Body.READER.read(JsonFields.of(fields));
  }

  /// Returns null if the pool has to be loaded or has got a new epoch since it was asked.
  private @Nullable IdempotentResult tryBlock(IdempotentRouteCall call, Pool pool, Body body) {
    var owner = self + "-" + marks.incrementAndGet();
    return switch (scripts.mark(pool.name(), owner, body.items)) {
      case Mark.Marked marked -> decide(call, pool, body, owner, marked);
      case Mark.Taken(var taken) -> results.once(call, _ -> http.stored(taken(taken)));
      case Mark.NoSuchItem(var unknown) ->
          results.once(
              call,
              _ ->
                  http.stored(
                      Problem.invalid("items", "The pool has no such item.").naming(unknown)));
      case Mark.Busy() -> throw inFlight();
      case Mark.NotOpen(var why) -> {
        ScriptReplies.await(seeder.open(pool, why));
        yield null;
      }
    };
  }

  /// An exception of the transaction: the epoch has changed, or the marks are too old.
  private static final class Outdated extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Outdated() {
      super(null, null, false, false);
    }
  }

  /// If the end of the transaction is unknown, the marks stay until they lapse.
  private @Nullable IdempotentResult decide(
      IdempotentRouteCall call, Pool pool, Body body, String owner, Mark.Marked marked) {
    var blocked = new ArrayList<ItemState>();
    IdempotentResult result;
    try {
      result =
          results.once(
              call,
              transaction ->
                  decide(transaction, call.caller(), pool.name(), body, marked, blocked));
    } catch (Outdated e) {
      unmark(pool.name(), owner, body.items);
      ScriptReplies.await(seeder.open(pool, BEHIND));
      return null;
    } catch (PostgresUnavailable | ProblemException e) {
      unmark(pool.name(), owner, body.items);
      throw e;
    }
    var isBlocked = result instanceof IdempotentResult.Done && !blocked.isEmpty();
    if (isBlocked) {
      tell(pool.name(), blocked);
    } else if (!(result instanceof IdempotentResult.Unknown)) {
      unmark(pool.name(), owner, body.items);
    }
    return result;
  }

  private Answer decide(
      Transaction transaction,
      String caller,
      PoolName pool,
      Body body,
      Mark.Marked marked,
      List<ItemState> done) {
    return switch (ItemBlocking.block(
        transaction, pool, marked.epoch(), marked.until(), body.items, marked.outOfSale())) {
      case Blocked.Done(var items) -> {
        done.addAll(items);
        yield changed(transaction, caller, pool, Kind.BLOCKED, body.reason, items);
      }
      case Blocked.Taken(var taken) -> http.stored(taken(taken));
      case Blocked.InFlight() -> throw inFlight();
      case Blocked.Outdated() -> throw new Outdated();
    };
  }

  IdempotentResult unblock(
      IdempotentRouteCall call, Pool pool, Map<String, @Nullable Object> fields) {
    Body body;
    try {
      body = read(pool, fields);
    } catch (InvalidField e) {
      return results.once(call, _ -> http.stored(e.problem()));
    }
    var free = new ArrayList<ItemState>();
    var result =
        results.once(
            call,
            transaction -> {
              free.addAll(ItemBlocking.unblock(transaction, pool.name(), body.items));
              return changed(
                  transaction, call.caller(), pool.name(), Kind.UNBLOCKED, body.reason, free);
            });
    if (result instanceof IdempotentResult.Done && !free.isEmpty()) {
      tell(pool.name(), free);
    }
    return result;
  }

  /// A call that finds all items as it wants them changes nothing and records nothing.
  private Answer changed(
      Transaction transaction,
      String caller,
      PoolName pool,
      Kind kind,
      @Nullable String reason,
      List<ItemState> items) {
    var names = items.stream().map(item -> item.item().value()).sorted().toList();
    if (!names.isEmpty()) {
      log.record(transaction, Change.ofItems(pool, kind, caller, reason, names));
    }
    var state = kind == Kind.BLOCKED ? "BLOCKED" : "FREE";
    return http.stored(HttpStatus.OK, new Changed(pool.value(), state, names));
  }

  private void tell(PoolName pool, List<ItemState> items) {
    try {
      scripts.compare(pool, ItemEntries.of(items));
    } catch (RedisUnavailable e) {
      LOG.info("Redis has not got the blocks of pool {} yet; the reconciler brings them", pool);
    }
  }

  private void unmark(PoolName pool, String owner, List<String> items) {
    try {
      scripts.unmark(pool, owner, items);
    } catch (RedisUnavailable e) {
      LOG.info("Marks of items of pool {} lapse, and the reconciler removes them", pool);
    }
  }

  private static ProblemException inFlight() {
    return new ProblemException(
        Problem.pending(
            "attempt-collision",
            "Another call is blocking one of the items, or brings it back; ask again with the same"
                + " token."));
  }

  private static Problem taken(List<String> items) {
    return Problem.refused(
            HttpStatus.CONFLICT,
            "resource-unavailable",
            "An item of these is held or sold. Nothing was changed; choose others, or ask again"
                + " under a fresh token.")
        .naming(items);
  }
}
