package io.holdfast.idempotency.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class InMemoryGuardStoreTest extends GuardStoreContract {
  private final GuardStore store = new InMemoryGuardStore(10_000);

  @Override
  GuardStore store() {
    return store;
  }

  /// Volatile, and valid all the same: it passes the contract.
  @Test
  @Requirement("DP-EC-01")
  void a_record_is_lost_with_its_store() {
    var rules = GuardRules.of("lost", Duration.ofHours(1));
    var clock = new MovedClock();
    var first = new DuplicateGuard(rules, new InMemoryGuardStore(2), clock);

    first.record("milk");

    assertThat(first.check("milk")).isEqualTo(GuardResult.SEEN);
    var afterRestart = new DuplicateGuard(rules, new InMemoryGuardStore(2), clock);
    assertThat(afterRestart.check("milk")).isEqualTo(GuardResult.NOT_SEEN);
  }

  @Test
  void a_full_store_removes_its_oldest_entries() {
    var small = new InMemoryGuardStore(2);
    var rules = GuardRules.of("small", Duration.ofHours(1));
    var guard = new DuplicateGuard(rules, small, new MovedClock());

    guard.record("one");
    guard.record("two");
    guard.record("one");
    guard.record("three");

    assertThat(guard.check("one")).isEqualTo(GuardResult.NOT_SEEN);
    assertThat(guard.check("two")).isEqualTo(GuardResult.SEEN);
    assertThat(guard.check("three")).isEqualTo(GuardResult.SEEN);
  }
}
