package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Concurrent checkouts share transactions and do not affect each other.
@ExtendWith(RealServers.class)
class ConcurrentCheckoutsTest {
  private static final int CALLERS = 48;

  private Service service;
  private Api api;
  private Rows rows;
  private Checkouts checkouts;
  private String pool;

  @BeforeEach
  void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(CALLERS, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterEach
  void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  void concurrent_checkouts_share_a_transaction() {
    var holds = holds();

    var answers =
        Together.run(
            CALLERS, i -> checkouts.pay(holds.get(i), "r" + i, method(i), Checkouts.PRICE));

    for (var i = 0; i < CALLERS; i++) {
      assertThat(answers.get(i).statusCode())
          .as(answers.get(i).body())
          .isEqualTo(isDeclined(i) ? 409 : 200);
      assertThat(api.stateOf(pool, "A-" + (i + 1))).isEqualTo(isDeclined(i) ? "HELD" : "SOLD");
    }
    var paid = CALLERS - CALLERS / 8;
    assertThat(entries("CAPTURED")).isEqualTo(paid);
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool)).isEqualTo(paid);
    assertThat(transactionsThatEnd("claim")).isLessThan(CALLERS / 2);
    assertThat(transactionsThatEnd("capture")).isLessThan(paid / 2);
  }

  @Test
  void a_checkout_of_a_locked_seat_does_not_delay_the_others(TestServers servers) throws Exception {
    var holds = holds();
    try (var connection = servers.connection();
        var executor = Executors.newVirtualThreadPerTaskExecutor();
        var lock =
            connection.prepareStatement(
                "SELECT FROM item WHERE pool = ? AND item = 'A-1' FOR UPDATE")) {
      connection.setAutoCommit(false);
      lock.setString(1, pool);
      lock.execute();

      var locked =
          executor.submit(() -> checkouts.pay(holds.getFirst(), "r0", "ok", Checkouts.PRICE));
      var others =
          Together.run(
              CALLERS - 1,
              i -> checkouts.pay(holds.get(i + 1), "r" + (i + 1), "ok", Checkouts.PRICE));

      others.forEach(paid -> assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200));
      assertThat(locked.isDone()).isFalse();
      connection.rollback();
      assertThat(locked.get().statusCode()).isEqualTo(200);
    }
  }

  @Test
  void an_invalid_checkout_does_not_affect_others_of_its_batch() {
    var holds = holds();

    var answers =
        Together.run(
            CALLERS,
            i ->
                checkouts.pay(
                    holds.get(i), "r" + i, "ok", isDeclined(i) ? 1 : (long) Checkouts.PRICE));

    for (var i = 0; i < CALLERS; i++) {
      assertThat(answers.get(i).statusCode())
          .as(answers.get(i).body())
          .isEqualTo(isDeclined(i) ? 422 : 200);
    }
    assertThat(entries("CAPTURED")).isEqualTo(CALLERS - CALLERS / 8);
  }

  private List<Api.Hold> holds() {
    return IntStream.range(0, CALLERS)
        .mapToObj(i -> api.hold(pool, "r" + i, "A-" + (i + 1)))
        .toList();
  }

  private static String method(int i) {
    return isDeclined(i) ? "decline" : "ok";
  }

  private static boolean isDeclined(int i) {
    return i % 8 == 7;
  }

  private long entries(String kind) {
    return rows.number(
        "SELECT count(*) FROM payment_entry WHERE pool = ? AND kind = ?", pool, kind);
  }

  /// Rows tell which transaction wrote them.
  private long transactionsThatEnd(String step) {
    return rows.number(
        "SELECT count(DISTINCT xmin::text) FROM checkout_log"
            + " WHERE pool = ? AND step = ? AND event = 'DONE'",
        pool,
        step);
  }
}
