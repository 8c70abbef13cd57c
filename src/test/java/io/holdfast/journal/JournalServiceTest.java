package io.holdfast.journal;

import static io.holdfast.testing.Samples.NOON;
import static io.holdfast.testing.Samples.called;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.journal.store.StoredTokens;
import io.holdfast.journal.store.TokenEntry;
import io.holdfast.journal.store.TokenRows.Key;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The running service drains journals and keeps token outcomes over a restart.
@ExtendWith(RealServers.class)
class JournalServiceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String METRICS_KEY = "key-of-the-scraper-in-tests";

  @TempDir Path folder;

  @Requirement("IR-ST-01")
  @Test
  void the_outcome_of_a_token_is_the_same_after_a_restart(TestServers servers) throws Exception {
    try (var service = start(servers);
        var pool = TestPool.create(servers, "restarted")) {
      pool.append(called(NOON, "expire", "t", "WINDOW_NOT_ELAPSED", "1234"));
      Await.until(PATIENCE, () -> token(service, pool.name()).isPresent());
    }

    try (var again = start(servers);
        var pool = TestPool.create(servers, "unrelated")) {
      var entry = token(again, new PoolName("restarted"));

      assertThat(entry.orElseThrow())
          .extracting(TokenEntry::action, TokenEntry::digest, TokenEntry::outcome)
          .containsExactly(TokenAction.EXPIRE, Samples.DIGEST, "WINDOW_NOT_ELAPSED\t1234");
      pool.append("?", "?", "?");
      Await.until(PATIENCE, () -> metrics(again).contains("holdfast_journal_drained_total 3.0"));
      Await.until(
          PATIENCE, () -> metrics(again).contains("holdfast_fence_epoch{pool=\"unrelated\"} 1.0"));
      assertThat(metrics(again))
          .contains("holdfast_journal_unreadable_total 3.0")
          .contains("holdfast_journal_drift_total 0.0")
          .contains("holdfast_journal_lag 0.0")
          .contains("holdfast_journal_lag_seconds 0.0")
          .contains("holdfast_holds_active 0.0")
          .contains("holdfast_tokens_purged_total 0.0");
    }
  }

  @Test
  void an_invalid_limit_stops_the_start(TestServers servers) {
    assertThatThrownBy(() -> start(servers, "holdfast.journal-max", "10"))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("holdfast.journal-max (environment HOLDFAST_JOURNAL_MAX)");
  }

  private Service start(TestServers servers, String... more) {
    var settings = new HashMap<>(servers.settings());
    settings.put("holdfast.metrics-key", METRICS_KEY);
    settings.put("holdfast.data", folder.toString());
    for (var i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return Service.start(settings);
  }

  private static Optional<TokenEntry> token(Service service, PoolName pool) {
    var transactions = service.context().getBean(Transactions.class);
    return StoredTokens.find(transactions, pool, new Key("shop", "t"));
  }

  private static String metrics(Service service) {
    return Http.get(service.http(), "/prometheus", "Authorization", "Bearer " + METRICS_KEY).body();
  }
}
