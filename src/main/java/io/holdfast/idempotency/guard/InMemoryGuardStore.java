package io.holdfast.idempotency.guard;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Stores identities in the memory of this process, for guards that only save work. When it is full
/// it drops the identity that was recorded first.
///
/// It is not a Caffeine cache: that evicts by use instead of by age, counts time itself instead of
/// taking it from the guard, and cannot list its entries in the order of their records.
public final class InMemoryGuardStore implements GuardStore {
  private static final int PURGE_MAX = 100;

  private final int capacity;

  /// In the order in which they were recorded.
  private final LinkedHashMap<Key, Instant> recorded = new LinkedHashMap<>();

  /// @param capacity in identities
  public InMemoryGuardStore(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public synchronized void record(GuardRules rules, String identity, Instant now) {
    var key = new Key(rules.name(), identity);
    var earlier = recorded.get(key);
    var moment = GuardWindow.afterRecord(earlier, now, rules.window());
    if (!moment.equals(earlier)) {
      recorded.putLast(key, moment);
      if (recorded.size() > capacity) {
        recorded.pollFirstEntry();
      }
    }
  }

  @Override
  public synchronized Optional<Instant> recordedAt(GuardRules rules, String identity) {
    return Optional.ofNullable(recorded.get(new Key(rules.name(), identity)));
  }

  /// Checks only the oldest, which expire first.
  @Override
  public synchronized int purge(GuardRules rules, Instant now) {
    var expiredUntil = GuardWindow.expiredUntil(now, rules.window());
    var expired =
        recorded.entrySet().stream()
            .filter(entry -> entry.getKey().guard.equals(rules.name()))
            .limit(PURGE_MAX)
            .takeWhile(entry -> !entry.getValue().isAfter(expiredUntil))
            .map(Map.Entry::getKey)
            .toList();
    expired.forEach(recorded::remove);
    return expired.size();
  }

  @Override
  public synchronized List<GuardEntry> underGuard(
      GuardRules rules, Instant now, int skip, int limit) {
    return recorded.entrySet().stream()
        .filter(entry -> isInWindow(entry, rules, now))
        .map(entry -> new GuardEntry(entry.getKey().identity, entry.getValue()))
        .sorted(GuardEntry.OLDEST_FIRST)
        .skip(skip)
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized long count(GuardRules rules, Instant now) {
    return recorded.entrySet().stream().filter(entry -> isInWindow(entry, rules, now)).count();
  }

  private static boolean isInWindow(Map.Entry<Key, Instant> entry, GuardRules rules, Instant now) {
    return entry.getKey().guard.equals(rules.name())
        && GuardWindow.check(entry.getValue(), now, rules.window()) == GuardResult.SEEN;
  }

  private record Key(String guard, String identity) {}
}
