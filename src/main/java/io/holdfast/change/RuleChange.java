package io.holdfast.change;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.catalogue.PoolChanges;
import io.holdfast.catalogue.PoolChanges.Repriced;
import io.holdfast.catalogue.PoolJson;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.change.ChangeLog.Change;
import io.holdfast.change.ChangeLog.Kind;
import io.holdfast.change.ChangedValues.Values;
import io.holdfast.commitment.StockCapacity;
import io.holdfast.commitment.StockLevel;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.http.RequestSettings;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.pool.Pool;
import io.holdfast.postgres.Transaction;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.holdfast.web.Timestamp;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Changes the rules, the prices and the capacity of a pool: first in Postgres, in one transaction
/// with its record, then in Redis, where they are in force for all instances at once. The other
/// instances learn the policy with their next refresh.
@Singleton
final class RuleChange {
  private static final String CAUSE = "CHANGED";

  private final IdempotencyStore results;
  private final IdempotencyHttp http;
  private final PoolChanges changes;
  private final ChangeLog log;
  private final ChangedValues values;
  private final CapacityLimit capacities;
  private final PoolRegistry pools;
  private final RuleTeller teller;
  private final PoolSeeder seeder;
  private final RequestSettings settings;

  RuleChange(
      IdempotencyStore results,
      IdempotencyHttp http,
      PoolChanges changes,
      ChangeLog log,
      ChangedValues values,
      CapacityLimit capacities,
      PoolRegistry pools,
      RuleTeller teller,
      PoolSeeder seeder,
      RequestSettings settings) {
    this.results = results;
    this.http = http;
    this.changes = changes;
    this.log = log;
    this.values = values;
    this.capacities = capacities;
    this.pools = pools;
    this.teller = teller;
    this.seeder = seeder;
    this.settings = settings;
  }

  /// @param capacity of a pool of the kind STOCK, if it was changed
  /// @param repriced number of items with another price
  @Serdeable
  @Schema(name = "PoolChanged")
  record Changed(
      String pool,
      String kind,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long capacity,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long sold,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long priceCents,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer repriced,
      PoolJson.PolicyView policy,
      @Nullable String salesFrom,
      @Nullable String salesUntil,
      boolean closed) {}

  IdempotentResult change(
      IdempotentRouteCall call, Pool pool, Map<String, @Nullable Object> fields) {
    var before = results.find(call);
    if (before.isPresent()) {
      return before.get();
    }
    try {
      var body = PoolChangeBody.read(JsonFields.of(fields), pool.kind());
      return change(call, pools.reload(pool.name()), body);
    } catch (InvalidField e) {
      return results.once(call, _ -> http.stored(e.problem()));
    }
  }

  /// @param isReloaded whether Redis has to be loaded again
  private record Applied(Pool pool, boolean isReloaded) {}

  private IdempotentResult change(IdempotentRouteCall call, Pool pool, PoolChangeBody body) {
    body.appliedTo(pool, settings.slowestRetry()); // refused before Redis limits anything
    var owner = capacities.nextOwner();
    var inUse =
        body.capacity() == null
            ? Optional.<Long>empty()
            : capacities.limit(pool, owner, body.capacity());
    var done = new @Nullable Applied[1];
    var result =
        results.once(
            call,
            transaction ->
                inUse.isPresent()
                    ? http.stored(inUse(inUse.get()))
                    : change(transaction, call.caller(), pool, body, done));
    if (body.capacity() != null && inUse.isEmpty()) {
      capacities.lift(pool.name(), owner);
    }
    if (result instanceof IdempotentResult.Done && done[0] != null) {
      tell(done[0]);
    }
    return result;
  }

  private Answer change(
      Transaction transaction,
      String caller,
      Pool known,
      PoolChangeBody body,
      @Nullable Applied[] done) {
    var before = changes.lock(transaction, known.name());
    Pool wanted;
    try {
      wanted = body.appliedTo(before, settings.slowestRetry());
    } catch (InvalidField e) { // another change came before this one
      return http.stored(e.problem());
    }
    var missing = changes.missing(transaction, known.name(), body.pricedItems());
    if (!missing.isEmpty()) {
      return http.stored(Problem.invalid("prices", "The pool has no such item.").naming(missing));
    }
    StockCapacity.Changed capacity = null;
    if (body.capacity() != null) {
      var changed = StockCapacity.change(transaction, known.name(), body.capacity());
      if (changed.isEmpty()) {
        return http.stored(inUse(null)); // sales that Redis does not know yet
      }
      capacity = changed.get();
    }
    if (body.priceCents() != null) {
      changes.priceUnits(transaction, known.name(), body.priceCents());
    }
    var repriced =
        body.prices() == null
            ? List.<Repriced>of()
            : changes.price(transaction, known.name(), body.newPrices());
    var isReloaded = PoolChangeBody.isReloadedFor(before.policy(), wanted.policy());
    var after = changes.update(transaction, wanted, isReloaded);
    log.record(transaction, record(caller, after, values.of(before, after, capacity, repriced)));
    done[0] = new Applied(after, isReloaded);
    return http.stored(
        HttpStatus.OK,
        changed(
            after,
            capacity == null ? null : capacity.level(),
            body.prices() == null ? null : repriced.size()));
  }

  private static Changed changed(Pool pool, @Nullable StockLevel level, @Nullable Integer priced) {
    return new Changed(
        pool.name().value(),
        pool.kind().name(),
        level == null ? null : level.capacity(),
        level == null ? null : level.sold(),
        pool.priceCents(),
        priced,
        PoolJson.PolicyView.of(pool.policy()),
        time(pool.sales().from()),
        time(pool.sales().until()),
        pool.sales().isClosed());
  }

  private static Change record(String caller, Pool after, Values values) {
    var repriced = values.prices().stream().map(Repriced::item).toList();
    return new Change(after.name(), Kind.CHANGED, caller, null, repriced, values);
  }

  /// The change is committed, so nothing here may fail the call. The teller tells Redis until it
  /// has answered, and the first use of a pool whose epoch has risen opens it.
  private void tell(Applied done) {
    pools.learn(done.pool);
    if (done.isReloaded) {
      ScriptReplies.await(seeder.open(done.pool, CAUSE));
    }
    teller.changed(done.pool);
  }

  private static @Nullable String time(@Nullable Instant moment) {
    return moment == null ? null : Timestamp.of(moment);
  }

  private static Problem inUse(@Nullable Long units) {
    return Problem.refused(
        HttpStatus.CONFLICT,
        "capacity-in-use",
        (units == null ? "More units" : units + " units")
            + " are held or sold. Nothing was changed; choose a capacity that is not smaller.");
  }
}
