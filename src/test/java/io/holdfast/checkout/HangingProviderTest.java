package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A provider that does not answer holds up its own checkout and nothing in Postgres.
@ExtendWith(RealServers.class)
class HangingProviderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final String ANSWER =
      "{\"reference\":\"pr-1\",\"amountCents\":5000,\"currency\":\"EUR\"}";

  private static final CountDownLatch asked = new CountDownLatch(1);
  private static final CountDownLatch answers = new CountDownLatch(1);

  private static HttpServer provider;
  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers) throws IOException {
    var local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    provider = HttpServer.create(local, 0);
    provider.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    provider.createContext(
        "/",
        exchange -> {
          asked.countDown();
          awaitAnswer();
          exchange.sendResponseHeaders(200, ANSWER.length());
          exchange.getResponseBody().write(ANSWER.getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    provider.start();
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.payment-url",
                "http://localhost:" + provider.getAddress().getPort() + "/p",
                "holdfast.payment-key",
                "key",
                "holdfast.payment-secret",
                "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz",
                "holdfast.payment-methods",
                "ok",
                "holdfast.payment-timeout",
                "1m",
                "jdbc.idle-in-transaction-timeout", // which would end what must not be there
                "1m"));
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    answers.countDown();
    service.close();
    provider.stop(0);
  }

  /// A transaction that was open when the provider was called would stay open as long as it hangs,
  /// with the locks of the claim.
  @Test
  @Requirement("BR-C-7")
  void while_a_provider_hangs_no_transaction_is_open_and_the_seat_is_not_locked() throws Exception {
    var checkouts = new Checkouts(api);
    var pool = checkouts.pool(1, "{}");
    var order =
        Checkouts.body(api.hold(pool, "ann", "A-1"), "ann", "ok", Checkouts.PRICE)
            .replace("simulator", "http");
    var begun = checkouts.begin(Api.token(), order);
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
    assertThat(asked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    var now = rows.texts("SELECT clock_timestamp()").getFirst();

    Await.until(PATIENCE, () -> openSince(now) == 0);

    assertThat(rows.texts("SELECT status FROM item WHERE pool = ? FOR UPDATE NOWAIT", pool))
        .containsExactly("CLAIMED");
    assertThat(answers.getCount()).as("the provider hangs").isOne();
    answers.countDown();
    var id = Http.json(begun).get("checkoutId").asText();
    assertThat(checkouts.awaitState(id, "FULFILLED", "COMPENSATED")).isEqualTo("FULFILLED");
  }

  /// The transactions of all clients that were open at this moment and still are.
  private static long openSince(String moment) {
    return rows.number(
        """
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend'
           AND pid <> pg_backend_pid() AND xact_start < ?::timestamptz
        """,
        moment);
  }

  private static void awaitAnswer() {
    try {
      answers.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
