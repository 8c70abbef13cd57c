package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.postgres.Transactions;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Delivery attempts are listed newest first and deleted after their retention.
@ExtendWith(RealServers.class)
class DeliveryLogTest {
  private static final String INSERT =
      """
      INSERT INTO webhook_delivery
             (webhook_id, pool, seq, event_id, type, attempt, outcome, status, detail, tried_at, took_ms)
      VALUES (-7, 'p', 1, 1, 'hold.placed', 1, 'FAILED', NULL, ?, now() - interval '%s', 3)
      """;

  @Test
  void attempts_are_paged_newest_first_and_old_ones_are_deleted(
      TestServers servers, Service service) {
    var attempts = service.context().getBean(DeliveryAttempts.class);
    var rows = Rows.of(servers);
    rows.change(INSERT.formatted("2 days"), "old");
    rows.change(INSERT.formatted("1 hour"), "recent");
    rows.change(INSERT.formatted("1 minute"), "newest");

    var first = attempts.page(-7, Long.MAX_VALUE, 2);
    assertThat(first).extracting(DeliveryAttempt::detail).containsExactly("newest", "recent");
    assertThat(attempts.page(-7, first.getLast().id(), 2))
        .extracting(DeliveryAttempt::detail)
        .containsExactly("old");

    var deleted =
        service
            .context()
            .getBean(Transactions.class)
            .write(_ -> attempts.deleteOlderThan(Duration.ofDays(1).toMillis(), 1_000));

    assertThat(deleted).isEqualTo(1);
    assertThat(rows.texts("SELECT detail FROM webhook_delivery WHERE webhook_id = -7 ORDER BY id"))
        .containsExactly("recent", "newest");
  }
}
