package io.holdfast.idempotency.guard;

import io.holdfast.idempotency.store.PostgresGuardStore;
import io.holdfast.idempotency.store.RedisGuardStore;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.redis.RedisConnections;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisSettings;
import io.holdfast.testing.Loops;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.UUID;

/// The stores on real servers, as a service has them.
final class GuardStores implements AutoCloseable {
  private final RedisConnections redis;
  private final TestLink postgres;

  private GuardStores(String redisUri, String jdbcUrl, Duration timeout) {
    this.redis =
        RedisConnections.open(
            new RedisSettings(redisUri, timeout, Duration.ofSeconds(5), 1_024), Loops.one());
    this.postgres = TestLink.to(jdbcUrl);
  }

  /// RetryingClient, because a busy machine is no lost Redis.
  static GuardStores on(TestServers servers) {
    new TestSchema(servers).migrate();
    return new GuardStores(servers.redisUri(), servers.jdbcUrl(), Duration.ofSeconds(5));
  }

  static GuardStores behind(String redisUri, String jdbcUrl) {
    return new GuardStores(redisUri, jdbcUrl, Duration.ofMillis(500));
  }

  GuardStore redis() {
    return new RedisGuardStore(redis, new RedisScripts(redis));
  }

  GuardStore postgres() {
    return new PostgresGuardStore(postgres.transactions());
  }

  /// A name that no other guard of this run has.
  static String aName() {
    return "guard-" + UUID.randomUUID();
  }

  @Override
  public void close() {
    redis.close();
    postgres.close();
  }
}
