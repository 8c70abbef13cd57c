package io.holdfast.idempotency;

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
@Requirement("DP-EC-01")
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

  @Test
  void another_process_sees_records_of_this_one() {
    var rules = GuardRules.of(GuardStores.aName(), Duration.ofHours(1));
    var clock = new MovedClock();
    new DuplicateGuard(rules, store(), clock).record("milk");

    try (var others = GuardStores.on(servers)) {
      var guard = new DuplicateGuard(rules, others.postgres(), clock);

      assertThat(guard.check("milk")).isEqualTo(GuardResult.SEEN);
    }
  }
}
