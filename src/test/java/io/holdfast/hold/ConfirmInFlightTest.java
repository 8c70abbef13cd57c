package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The effect of a running sale on other calls, and the state after a sale that failed.
@ExtendWith(RealServers.class)
@Tag("cluster")
class ConfirmInFlightTest {
  private static TestServers servers;
  private static Api api;

  @BeforeAll
  static void open(TestServers all, Service service) {
    servers = all;
    api = Api.of(service);
  }

  @Test
  @Requirement({"H-1", "IR-EC-08"})
  void a_call_waits_a_bounded_time_for_another_call_on_its_hold() throws SQLException {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();

    HttpResponse<String> collision;
    try (var other = servers.connection();
        var lock = other.prepareStatement("SELECT 1 FROM item WHERE pool = ? FOR UPDATE")) {
      other.setAutoCommit(false);
      lock.setString(1, pool);
      lock.execute();
      collision = api.confirm(hold, token, "ann", "order-1");
      other.rollback();
    }

    assertThat(Api.code(collision)).as(collision.body()).isEqualTo("attempt-collision");
    assertThat(collision.headers().firstValue("Retry-After")).isPresent();
    assertThat(collision.headers().firstValue("Link").orElseThrow())
        .isEqualTo("</v1/operations/%s?pool=%s>; rel=\"status\"".formatted(token, pool));
    assertThat(api.confirm(hold, token, "ann", "order-1").statusCode()).isEqualTo(200);
  }

  @Test
  void a_pin_without_a_sale_is_undone_at_once() {
    var pool = api.pool(1, "{\"requireNonce\":true}");
    var hold = api.hold(pool, "ann", "A-1");

    var refused = api.confirm(hold, Api.token(), "ann", "order-1");

    assertThat(Api.code(refused)).isEqualTo("nonce-unbound");
    Await.until(Duration.ofSeconds(10), () -> pinNo(pool, hold).equals("2"));
    assertThat(api.release(hold.id(), Api.token(), "ann").statusCode()).isEqualTo(200);
  }

  private static String pinNo(String pool, Hold hold) {
    return servers.record(pool, hold.fence()).split("\t")[11];
  }
}
