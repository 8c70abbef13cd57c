package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@Requirement("DP-EC-01")
class InMemoryGuardStoreTest extends GuardStoreContract {
  private final GuardStore store = new InMemoryGuardStore(10_000);

  @Override
  GuardStore store() {
    return store;
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
