package io.holdfast.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.idempotency.Token;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// While Postgres does not take the numbers of replays, they are neither lost nor hidden, and no
/// look-up waits in line for them.
@ExtendWith(RealServers.class)
class ReplayLogTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final PoolName ARENA = new PoolName("arena");
  private static final Token TOKEN = (Token) Token.of("token-1", 100);

  private final TestServers servers;
  private final Rows rows;
  private final TestLink link;
  private final ReplayLog log;

  ReplayLogTest(TestServers servers) {
    this.servers = servers;
    this.rows = Rows.of(servers);
    this.link = TestLink.to(servers.jdbcUrl());
    this.log = new ReplayLog(link.transactions(), Clock.systemUTC(), new SimpleMeterRegistry());
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void aUse() throws SQLException {
    new TestSchema(servers).clear("token_replay", "token_result", "pool");
    rows.change("INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 1)");
    rows.change(
        """
        INSERT INTO token_result (pool, caller, token, action, digest, digest_function, outcome,
                                  recorded_at, window_until)
        VALUES ('arena', 'shop', 'token-1', 'place_hold', repeat('0', 64), '1', 'NOT_KNOWN', now(),
                now() + interval '1 hour')
        """);
  }

  @AfterEach
  void close() {
    link.close();
  }

  @Test
  @Requirement("AU-8")
  void numbers_that_are_being_stored_are_read_by_callers_who_do_not_wait() throws Exception {
    replayed(2);

    try (var other = servers.connection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("LOCK TABLE token_replay IN EXCLUSIVE MODE");
      var storing = CompletableFuture.supplyAsync(log::store);
      Await.until(PATIENCE, this::isStoreWaiting);
      replayed(1);
      log.storeNow();
      assertThat(waiting()).isEqualTo(3);
      assertThat(storing).as("the reader has not waited for it").isNotDone();
      other.rollback();
      storing.join();
    }

    assertThat(waiting()).isOne();
    log.store();
    assertThat(waiting()).isZero();
    assertThat(rows.texts("SELECT replays FROM token_replay")).containsExactly("3");
  }

  @Test
  @Requirement("AU-8")
  void numbers_that_postgres_has_refused_are_stored_later_and_once() throws SQLException {
    replayed(2);

    try (var other = servers.connection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("LOCK TABLE token_replay IN EXCLUSIVE MODE");
      assertThatThrownBy(log::store).isInstanceOf(PostgresUnavailable.class);
      assertThat(waiting()).isEqualTo(2);
      other.rollback();
    }

    replayed(1);
    log.storeNow();
    log.storeNow();
    assertThat(rows.texts("SELECT replays FROM token_replay")).containsExactly("3");
  }

  private boolean isStoreWaiting() {
    return rows.number(
            "SELECT count(*) FROM pg_locks WHERE relation = 'token_replay'::regclass"
                + " AND NOT granted")
        > 0;
  }

  private void replayed(int times) {
    for (var i = 0; i < times; i++) {
      log.count("shop", TokenAction.PLACE_HOLD, ARENA, TOKEN);
    }
  }

  private long waiting() {
    return log.waiting("shop", TokenAction.PLACE_HOLD, ARENA, TOKEN);
  }
}
