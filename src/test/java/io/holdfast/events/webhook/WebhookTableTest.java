package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A connection that is lost in a repository is `PostgresUnavailable`, and only a lost COMMIT is
/// indefinite.
@ExtendWith(RealServers.class)
class WebhookTableTest {
  private static final int ATTEMPTS_MAX = 20;

  @Test
  void a_lost_connection_is_definite_and_a_lost_commit_is_not(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var service =
            RealServers.start(servers, Map.of("jdbc.url", proxy.insteadOf(servers.jdbcUrl())))) {
      var table = service.context().getBean(WebhookTable.class);
      var transactions = service.context().getBean(Transactions.class);

      proxy.cutAt("AND caller = ");
      var read = failure(() -> table.find("operator", -1));
      proxy.cutAt("disabled_why = ");
      var write = failure(() -> disable(transactions, table));
      var commit = lostCommit(proxy, () -> disable(transactions, table));

      assertThat(read.isDefinite()).isTrue();
      assertThat(write.isDefinite()).isTrue();
      assertThat(commit.isDefinite()).isFalse();
    }
  }

  /// Repeated, because the fault may hit the COMMIT of a background task.
  private static PostgresUnavailable lostCommit(FaultProxy proxy, Runnable call) {
    for (var i = 0; i < ATTEMPTS_MAX; i++) {
      proxy.cutAt("COMMIT");
      var failure = failure(call);
      if (failure != null) {
        return failure;
      }
    }
    throw new AssertionError("no COMMIT was cut");
  }

  private static @Nullable PostgresUnavailable failure(Runnable call) {
    return catchThrowableOfType(PostgresUnavailable.class, call::run);
  }

  private static void disable(Transactions transactions, WebhookTable table) {
    transactions.write(
        _ -> {
          table.disable(-1, "by a test");
          return null;
        });
  }
}
