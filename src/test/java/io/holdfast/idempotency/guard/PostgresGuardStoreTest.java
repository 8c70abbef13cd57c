package io.holdfast.idempotency.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
class PostgresGuardStoreTest extends GuardStoreContract {
  private static TestServers servers;
  private static GuardStores stores;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
    stores = GuardStores.on(servers);
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @Override
  GuardStore store() {
    return stores.postgres();
  }

  /// Durable: nothing of the process that recorded is left.
  @Test
  @Requirement("DP-EC-01")
  void a_record_outlives_the_process_that_made_it() {
    var rules = GuardRules.of(GuardStores.aName(), Duration.ofHours(1));
    var clock = new MovedClock();
    try (var first = GuardStores.on(servers)) {
      new DuplicateGuard(rules, first.postgres(), clock).record("milk");
    }

    try (var others = GuardStores.on(servers)) {
      var guard = new DuplicateGuard(rules, others.postgres(), clock);

      assertThat(guard.check("milk")).isEqualTo(GuardResult.SEEN);
    }
  }
}
