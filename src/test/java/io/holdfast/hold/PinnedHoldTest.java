package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A pinned hold while Postgres, which alone may end it, is unavailable.
@ExtendWith(RealServers.class)
@Tag("slow")
class PinnedHoldTest {

  @Test
  void the_seat_of_a_pinned_hold_stays_held_while_postgres_cannot_decide(TestServers servers) {
    try (var postgres = FaultProxy.before(servers.jdbcUrl());
        var service =
            RealServers.start(
                servers,
                Map.of(
                    "jdbc.url", postgres.insteadOf(servers.jdbcUrl()),
                    "holdfast.pin", "2s",
                    "holdfast.max-clock-skew", "100ms"))) {
      var api = Api.of(service);
      var pool = api.pool(1, "{\"leaseSeconds\":2,\"heartbeatSeconds\":1}");
      var hold = api.hold(pool, "ann", "A-1");
      var seat = "{p:%s}:item:A-1".formatted(pool);
      postgres.cut();
      assertThat(api.confirm(hold, Api.token(), "ann", "order-1").statusCode()).isEqualTo(503);

      servers.redis(redis -> redis.pexpire(seat, 1)); // as if it had lasted for minutes

      var fence = Long.toString(hold.fence());
      Await.until(PATIENCE, () -> fence.equals(servers.redis(redis -> redis.get(seat))));
      var other = api.place(pool, Api.token(), "bob", "A-1");
      assertThat(other.statusCode()).as(other.body()).isEqualTo(409);
    }
  }
}
