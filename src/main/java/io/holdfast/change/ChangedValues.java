package io.holdfast.change;

import io.holdfast.catalogue.PoolChanges.Repriced;
import io.holdfast.catalogue.PoolJson;
import io.holdfast.commitment.StockCapacity;
import io.holdfast.pool.Pool;
import io.holdfast.web.Timestamp;
import io.micronaut.core.type.Argument;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Compares a pool before and after a change of its rules, by the names that the fields have in the
/// API. All fields of the policy are compared, so that a new one is recorded too.
@Singleton
final class ChangedValues {
  private final ObjectMapper json;

  ChangedValues(ObjectMapper json) {
    this.json = json;
  }

  /// The changed values as they were and as they are.
  ///
  /// @param prices of items; the record names them all, and its event the first of them
  record Values(
      Map<String, @Nullable Object> before,
      Map<String, @Nullable Object> after,
      List<Repriced> prices) {
    static final Values NONE = new Values(Map.of(), Map.of(), List.of());

    Map<String, @Nullable Object> before(int pricesMax) {
      return withPrices(before, pricesMax, Repriced::before);
    }

    Map<String, @Nullable Object> after(int pricesMax) {
      return withPrices(after, pricesMax, Repriced::after);
    }

    private Map<String, @Nullable Object> withPrices(
        Map<String, @Nullable Object> values, int most, ToLongFunction<Repriced> cents) {
      var all = new LinkedHashMap<>(values);
      if (!prices.isEmpty()) {
        var priced = new LinkedHashMap<String, Object>();
        prices.stream()
            .limit(most)
            .forEach(price -> priced.put(price.item(), cents.applyAsLong(price)));
        all.put("prices", priced);
      }
      return all;
    }
  }

  Values of(
      Pool before, Pool after, StockCapacity.@Nullable Changed capacity, List<Repriced> prices) {
    var was = rules(before, capacity == null ? null : capacity.before());
    var is = rules(after, capacity == null ? null : capacity.level().capacity());
    var names = new LinkedHashSet<>(was.keySet());
    names.addAll(is.keySet());
    var changedBefore = new LinkedHashMap<String, @Nullable Object>();
    var changedAfter = new LinkedHashMap<String, @Nullable Object>();
    for (var name : names) {
      if (!Objects.equals(was.get(name), is.get(name))) {
        changedBefore.put(name, was.get(name));
        changedAfter.put(name, is.get(name));
      }
    }
    return new Values(changedBefore, changedAfter, prices);
  }

  private Map<String, @Nullable Object> rules(Pool pool, @Nullable Long capacity) {
    var rules = policy(pool);
    rules.put("salesFrom", time(pool.sales().from()));
    rules.put("salesUntil", time(pool.sales().until()));
    rules.put("closed", pool.sales().isClosed());
    rules.put("priceCents", pool.priceCents());
    rules.put("capacity", capacity);
    return rules;
  }

  /// Values that the policy has not are missing.
  private Map<String, @Nullable Object> policy(Pool pool) {
    try {
      var text = json.writeValueAsString(PoolJson.PolicyView.of(pool.policy()));
      return new LinkedHashMap<>(json.readValue(text, Argument.mapOf(String.class, Object.class)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable String time(@Nullable Instant moment) {
    return moment == null ? null : Timestamp.of(moment);
  }
}
