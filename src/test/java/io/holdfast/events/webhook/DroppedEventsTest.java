package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.PricedPools;
import io.holdfast.events.Receiver;
import io.holdfast.events.Subscriber;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A lane whose next events were dropped by age is not due for ever: it goes on behind them.
@ExtendWith(RealServers.class)
class DroppedEventsTest {
  private static TestServers servers;
  private static Service service;
  private static Subscriber subscriber;

  private final Receiver receiver = Receiver.open();

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    service = Subscriber.service(servers, Map.of());
    subscriber = Subscriber.of(service);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void a_replay_of_dropped_events_ends_and_later_events_are_delivered() throws SQLException {
    var webhook = subscriber.register(receiver, "hold.confirmed");
    var pool = PricedPools.create(subscriber.api(), "A-1", "A-2");
    subscriber.sell(pool, "ann", "A-1");
    Subscriber.awaitRequests(receiver, 1);
    awaitHead(webhook.id(), pool);
    dropEvents(pool);

    subscriber.replay(webhook.id(), "{\"pool\":\"%s\",\"from\":1}".formatted(pool));

    awaitHead(webhook.id(), pool);
    subscriber.sell(pool, "bob", "A-2");
    var second = Subscriber.awaitRequests(receiver, 2).get(1);
    assertThat(second.body()).contains("A-2").doesNotContain("A-1");
  }

  private static void awaitHead(String webhook, String pool) {
    var sql =
        "SELECT count(*) FROM webhook_lane l JOIN event_head h USING (pool, seq)"
            + " WHERE l.webhook_id = ?::bigint AND l.pool = ?";
    var rows = Rows.of(servers);
    Await.until(Subscriber.SOON, () -> rows.number(sql, webhook, pool) == 1);
  }

  /// As the retention does it later.
  private static void dropEvents(String pool) throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      statement.execute(
          "SET session_replication_role = replica; DELETE FROM event WHERE pool = '" + pool + "'");
    }
  }
}
