package io.holdfast.idempotency;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Keeps what guards have seen in the memory of this process, for guards whose word nothing hangs
/// on. When it is full it forgets what was recorded first.
public final class InMemoryGuardStore implements GuardStore {
  private static final int PURGE_MAX = 100;

  private final int most;

  /// In the order in which they were recorded.
  private final LinkedHashMap<Key, Instant> recorded = new LinkedHashMap<>();

  /// @param most how many identities there is room for
  public InMemoryGuardStore(int most) {
    this.most = most;
  }

  @Override
  public synchronized void record(GuardRules rules, String identity, Instant now) {
    var key = new Key(rules.name(), identity);
    var earlier = recorded.get(key);
    var moment = GuardWindow.afterRecord(earlier, now, rules.window());
    if (!moment.equals(earlier)) {
      recorded.putLast(key, moment);
      if (recorded.size() > most) {
        recorded.pollFirstEntry();
      }
    }
  }

  @Override
  public synchronized Optional<Instant> recordedAt(GuardRules rules, String identity) {
    return Optional.ofNullable(recorded.get(new Key(rules.name(), identity)));
  }

  /// Looks at the oldest only, which are those that elapse first.
  @Override
  public synchronized int purge(GuardRules rules, Instant now) {
    var elapsedAt = GuardWindow.elapsedAt(now, rules.window());
    var elapsed =
        recorded.entrySet().stream()
            .filter(entry -> entry.getKey().guard.equals(rules.name()))
            .limit(PURGE_MAX)
            .takeWhile(entry -> !entry.getValue().isAfter(elapsedAt))
            .map(Map.Entry::getKey)
            .toList();
    elapsed.forEach(recorded::remove);
    return elapsed.size();
  }

  @Override
  public synchronized List<GuardEntry> underGuard(
      GuardRules rules, Instant now, int skip, int limit) {
    return recorded.entrySet().stream()
        .filter(entry -> isUnderGuard(entry, rules, now))
        .map(entry -> new GuardEntry(entry.getKey().identity, entry.getValue()))
        .sorted(GuardEntry.OLDEST_FIRST)
        .skip(skip)
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized long count(GuardRules rules, Instant now) {
    return recorded.entrySet().stream().filter(entry -> isUnderGuard(entry, rules, now)).count();
  }

  private static boolean isUnderGuard(
      Map.Entry<Key, Instant> entry, GuardRules rules, Instant now) {
    return entry.getKey().guard.equals(rules.name())
        && GuardWindow.sighting(entry.getValue(), now, rules.window()) == GuardResult.SEEN;
  }

  private record Key(String guard, String identity) {}
}
