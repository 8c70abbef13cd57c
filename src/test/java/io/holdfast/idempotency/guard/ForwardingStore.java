package io.holdfast.idempotency.guard;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A store of which a test can break one method.
class ForwardingStore implements GuardStore {
  private final GuardStore store;

  ForwardingStore(GuardStore store) {
    this.store = store;
  }

  @Override
  public void record(GuardRules rules, String identity, Instant now) {
    store.record(rules, identity, now);
  }

  @Override
  public Optional<Instant> recordedAt(GuardRules rules, String identity) {
    return store.recordedAt(rules, identity);
  }

  @Override
  public int purge(GuardRules rules, Instant now) {
    return store.purge(rules, now);
  }

  @Override
  public List<GuardEntry> underGuard(GuardRules rules, Instant now, int skip, int limit) {
    return store.underGuard(rules, now, skip, limit);
  }

  @Override
  public long count(GuardRules rules, Instant now) {
    return store.count(rules, now);
  }
}
