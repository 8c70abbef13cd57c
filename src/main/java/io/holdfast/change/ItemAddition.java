package io.holdfast.change;

import io.holdfast.catalogue.PoolChanges;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.catalogue.PoolRequest;
import io.holdfast.change.ChangeLog.Change;
import io.holdfast.change.ChangeLog.Kind;
import io.holdfast.commitment.ItemState;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.postgres.Transaction;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.seeding.ItemEntries;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Adds items to a pool of seats, behind those that it has: first in Postgres, then in Redis, where
/// they can be held at once. What Redis misses the reconciler brings.
@Singleton
final class ItemAddition {
  private static final Logger LOG = LoggerFactory.getLogger(ItemAddition.class);
  private static final int ITEMS_MAX = 100_000;
  private static final int CHUNK = 500;

  private final IdempotencyStore results;
  private final IdempotencyHttp http;
  private final PoolChanges changes;
  private final ChangeLog log;
  private final PoolRegistry pools;
  private final PoolScripts scripts;
  private final RuleTeller teller;

  ItemAddition(
      IdempotencyStore results,
      IdempotencyHttp http,
      PoolChanges changes,
      ChangeLog log,
      PoolRegistry pools,
      PoolScripts scripts,
      RuleTeller teller) {
    this.results = results;
    this.http = http;
    this.changes = changes;
    this.log = log;
    this.pools = pools;
    this.scripts = scripts;
    this.teller = teller;
  }

  /// The body of the request.
  @Introspected
  @Schema(name = "NewItems")
  record Body(
      @Size(min = 1, max = ITEMS_MAX)
          @Schema(description = "No two have the same name, and the pool has none of them.")
          List<PoolRequest.NewItem> items) {
    private static final BodyReader<Body> READER = BodyReader.of(Body.class);
  }

  /// @param items how many the pool has now
  @Serdeable
  @Schema(name = "ItemsAdded")
  record Added(String pool, int added, int items) {}

  IdempotentResult add(IdempotentRouteCall call, Pool pool, Map<String, @Nullable Object> fields) {
    List<CatalogueItem> items;
    try {
      items = read(pool, fields);
    } catch (InvalidField e) {
      return results.once(call, _ -> http.stored(e.problem()));
    }
    var grown = new @Nullable Pool[1];
    var result =
        results.once(call, transaction -> add(transaction, call.caller(), pool, items, grown));
    if (result instanceof IdempotentResult.Done && grown[0] != null) {
      tell(grown[0], items);
    }
    return result;
  }

  private static List<CatalogueItem> read(Pool pool, Map<String, @Nullable Object> fields) {
    if (pool.kind() != PoolKind.SEATS) {
      throw InvalidField.of("items", "is allowed for pools of the kind SEATS only");
    }
    return PoolRequest.items(Body.READER.read(JsonFields.of(fields)).items());
  }

  private Answer add(
      Transaction transaction,
      String caller,
      Pool known,
      List<CatalogueItem> items,
      @Nullable Pool[] done) {
    var pool = changes.lock(transaction, known.name());
    var names = items.stream().map(item -> item.item().value()).toList();
    var present = changes.present(transaction, pool.name(), names);
    if (!present.isEmpty()) {
      return http.stored(
          Problem.refused(
                  HttpStatus.CONFLICT,
                  "item-exists",
                  "The pool has items of these names. Nothing was added.")
              .naming(present));
    }
    if (pool.itemCount() + items.size() > ITEMS_MAX) {
      return http.stored(
          InvalidField.of("items", "is too long: a pool has at most " + ITEMS_MAX + " items")
              .problem());
    }
    changes.add(transaction, pool, items);
    var grown = changes.update(transaction, pool.withMore(items.size()), false);
    log.record(transaction, Change.ofItems(pool.name(), Kind.ITEMS_ADDED, caller, null, names));
    done[0] = grown;
    return http.stored(
        HttpStatus.CREATED, new Added(pool.name().value(), items.size(), grown.itemCount()));
  }

  /// The items come before the version of the pool: an instance that knows the version of Redis
  /// finds all of its items there. The change is committed, so nothing here may fail the call.
  private void tell(Pool grown, List<CatalogueItem> items) {
    var free =
        items.stream()
            .map(item -> new ItemState(item.item(), 0, ItemState.Status.FREE, null))
            .toList();
    try {
      for (var start = 0; start < free.size(); start += CHUNK) {
        var chunk = free.subList(start, Math.min(free.size(), start + CHUNK));
        scripts.compare(grown.name(), ItemEntries.of(chunk));
      }
    } catch (RedisUnavailable e) {
      LOG.info(
          "Redis has not got all new items of pool {}; the reconciler brings them", grown.name());
    }
    pools.learn(grown);
    teller.changed(grown);
  }
}
