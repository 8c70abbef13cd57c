package io.holdfast.idempotency.guard;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
class RedisGuardStoreTest extends GuardStoreContract {
  private static GuardStores stores;

  @BeforeAll
  static void open(TestServers servers) {
    stores = GuardStores.on(servers);
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @Override
  GuardStore store() {
    return stores.redis();
  }
}
