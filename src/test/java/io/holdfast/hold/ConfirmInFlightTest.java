package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The effect of a running sale on other calls, and the state after a sale that failed.
@ExtendWith(RealServers.class)
@Tag("cluster")
class ConfirmInFlightTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// For calls that wait for each other until the test lets them go on.
  private static final Map<String, Object> PATIENT =
      Map.of(
          "holdfast.inflight-wait", "20s",
          "jdbc.lock-timeout", "20s",
          "jdbc.statement-timeout", "30s",
          "jdbc.socket-timeout", "60s");

  private static TestServers servers;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers all, Service service) {
    servers = all;
    api = Api.of(service);
    rows = Rows.of(servers);
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
      var since = System.nanoTime();
      collision = api.confirm(hold, token, "ann", "order-1");
      assertThat(Duration.ofNanos(System.nanoTime() - since))
          .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(10));
      other.rollback();
    }

    assertThat(Api.code(collision)).as(collision.body()).isEqualTo("attempt-collision");
    assertThat(collision.headers().firstValue("Retry-After")).isPresent();
    assertThat(collision.headers().firstValue("Link").orElseThrow())
        .isEqualTo("</v1/operations/%s?pool=%s>; rel=\"status\"".formatted(token, pool));
    assertThat(api.confirm(hold, token, "ann", "order-1").statusCode()).isEqualTo(200);
  }

  @Test
  @Requirement("H-1")
  void a_second_call_under_a_running_token_waits_and_replays_the_answer_of_the_first()
      throws Exception {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();

    try (var patient = RealServers.start(servers, PATIENT);
        var other = servers.connection();
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var asked = Api.of(patient);
      Callable<HttpResponse<String>> call = () -> asked.confirm(hold, token, "ann", "order-1");
      other.setAutoCommit(false);
      other
          .createStatement()
          .execute("SELECT 1 FROM item WHERE pool = '%s' FOR UPDATE".formatted(pool));
      var first = threads.submit(call);
      Await.until(PATIENCE, () -> waiting("relation", "tuple", "transactionid") == 1);
      var second = threads.submit(call);
      Await.until(PATIENCE, () -> waiting("advisory") == 1);
      other.rollback();

      var answer = first.get();
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(second.get().body()).isEqualTo(answer.body());
      assertThat(List.of(answer, second.get())).filteredOn(Api::isReplay).hasSize(1);
    }
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool)).isOne();
  }

  private static long waiting(String... locks) {
    return rows.number(
        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
            + " WHERE datname = current_database() AND NOT granted AND locktype = ANY (?)",
        (Object) locks);
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
