package io.holdfast.web.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Connections of clients that send or read too slowly, or do nothing, are closed. Connections that
/// wait for the service are not.
@ExtendWith(RealServers.class)
@Tag("slow")
class SlowClientsTest {
  private static final int SLOW_CLIENTS = 500;
  private static final int CONNECTIONS = 600;
  private static final String TIMEOUT = "1s";
  private static final Duration LONGER_THAN_ALL_TIMEOUTS = Duration.ofMillis(2_500);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private static Service service;
  private static URI base;
  private static MeterRegistry meters;

  @BeforeAll
  static void start(TestServers servers) {
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.connections", CONNECTIONS,
                "holdfast.header-timeout", TIMEOUT,
                "holdfast.body-timeout", TIMEOUT,
                "holdfast.write-timeout", TIMEOUT,
                "holdfast.idle-timeout", TIMEOUT));
    base = service.http();
    meters = service.context().getBean(MeterRegistry.class);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        "POST /test/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n",
        "POST /test/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n"
      })
  @Requirement("AU-4")
  void clients_that_send_a_byte_now_and_then_are_closed_while_others_are_served(String beginning) {
    var clients = open(SLOW_CLIENTS).map(client -> client.send(beginning)).toList();

    Await.until(
        PATIENCE,
        () -> {
          assertThat(Http.get(base, "/health/liveness").statusCode()).isEqualTo(200);
          Await.pause(PAUSE);
          return clients.stream().filter(SlowSocket::sendsAnotherByte).count() == 0;
        });

    assertThat(responses(clients))
        .allSatisfy(
            response ->
                assertThat(response)
                    .startsWith("HTTP/1.1 408 ")
                    .containsIgnoringCase("connection: close")
                    .containsIgnoringCase("content-type: application/problem+json")
                    .contains("\"code\":\"request-timeout\"", "\"retryable\":true"));
    clients.forEach(SlowSocket::close);
  }

  @Test
  void a_body_that_arrives_at_the_minimum_rate_is_taken_however_long_it_takes() {
    var piece = "x".repeat(64 << 10);
    try (var client = SlowSocket.to(base)) {
      client.send(
          "POST /test/echo/large HTTP/1.1\r\nHost: localhost\r\n"
              + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                  .formatted(5 * piece.length()));
      client.send(piece);
      for (var i = 1; i < 5; i++) {
        Await.pause(LONGER_THAN_ALL_TIMEOUTS.dividedBy(4));
        client.send(piece);
      }

      Await.until(PATIENCE, client::readIsAnswered);
      assertThat(client.received()).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void a_header_in_two_pieces_is_taken() {
    try (var client = SlowSocket.to(base)) {
      client.send("GET /health/liveness HTTP/1.1\r\nHo");
      Await.pause(PAUSE);
      client.send("st: localhost\r\n\r\n");

      Await.until(PATIENCE, client::readIsAnswered);
      assertThat(client.received()).startsWith("HTTP/1.1 200 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "GET /health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n"})
  @Requirement("AU-4")
  void a_connection_without_a_request_is_closed_without_a_further_response(String request) {
    try (var client = SlowSocket.to(base).send(request)) {
      Await.until(PATIENCE, client::readIsClosed);

      assertThat(client.received().split("HTTP/1.1 ", -1)).hasSize(request.isEmpty() ? 1 : 2);
      assertThat(client.received()).doesNotContain("HTTP/1.1 408");
    }
  }

  @Test
  void streams_and_slow_responses_stay_open() {
    var api = Api.of(service);
    var pool = api.pool(1);
    var routes = resetRoutes();
    try (var stream = SlowSocket.to(base);
        var waiting = SlowSocket.to(base)) {
      stream.send(
          "GET /v1/pools/%s/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(pool, api.key()));
      waiting.send("GET /test/transfer/later HTTP/1.1\r\nHost: localhost\r\n\r\n");
      Await.until(PATIENCE, () -> stream.readIsClosed() || stream.received().contains("snapshot"));

      Await.pause(LONGER_THAN_ALL_TIMEOUTS);
      routes.later.complete("at last");
      api.hold(pool, "ann", "A-1");

      Await.until(PATIENCE, () -> stream.readIsClosed() || stream.received().contains("HELD"));
      Await.until(PATIENCE, waiting::readIsAnswered);
      assertThat(stream.received()).contains("event: change");
      assertThat(waiting.received()).startsWith("HTTP/1.1 200 ").contains("at last");
    }
  }

  @Test
  void a_client_that_does_not_take_its_response_is_closed() {
    try (var client = SlowSocket.to(base)) {
      client.send("GET /test/transfer/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
      Await.until(PATIENCE, () -> closedBy("write") > 0);

      Await.until(PATIENCE, () -> client.readIsClosed(1 << 20));
      assertThat(client.receivedBytes()).isLessThan(TransferController.LARGE);
    }
  }

  @Test
  void a_client_that_takes_its_response_slowly_gets_all_of_it() {
    var before = closedBy("write");
    try (var client = SlowSocket.to(base)) {
      client.send("GET /test/transfer/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
      var pieces = 30;
      for (var i = 0; i < pieces; i++) {
        client.readIsClosed(64 << 10);
        Await.pause(LONGER_THAN_ALL_TIMEOUTS.dividedBy(pieces));
      }
      Await.until(
          PATIENCE,
          () -> client.readIsClosed(1 << 20) || client.receivedBytes() > TransferController.LARGE);

      assertThat(client.receivedBytes()).isGreaterThan(TransferController.LARGE);
      assertThat(closedBy("write")).isEqualTo(before);
    }
  }

  @Test
  @Requirement("AU-4")
  void a_connection_beyond_the_limit_is_answered_and_closed_and_the_others_go_on() {
    var routes = resetRoutes();
    Await.until(PATIENCE, () -> openConnections() == 0);
    var clients =
        open(CONNECTIONS)
            .map(c -> c.send("GET /test/transfer/later HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            .toList();
    Await.until(PATIENCE, () -> routes.waiting.get() == CONNECTIONS);

    try (var oneMore = SlowSocket.to(base)) {
      oneMore.send("GET /health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n");
      Await.until(PATIENCE, oneMore::readIsClosed);
      assertThat(oneMore.received())
          .startsWith("HTTP/1.1 503 ")
          .containsIgnoringCase("retry-after: 10")
          .containsIgnoringCase("connection: close")
          .contains("\"code\":\"too-many-connections\"", "\"definite\":true");
    }
    try (var silent = SlowSocket.to(base)) {
      Await.until(PATIENCE, silent::readIsClosed);
      assertThat(silent.received()).startsWith("HTTP/1.1 503 ");
    }

    routes.later.complete("served");
    Await.until(PATIENCE, () -> clients.stream().allMatch(SlowSocket::readIsAnswered));
    assertThat(responses(clients))
        .allSatisfy(response -> assertThat(response).startsWith("HTTP/1.1 200 "));
    clients.forEach(SlowSocket::close);
    Await.until(PATIENCE, () -> openConnections() == 0);
    assertThat(Http.get(base, "/health/liveness").statusCode()).isEqualTo(200);
  }

  /// What they received, equal responses once.
  private static Set<String> responses(List<SlowSocket> clients) {
    return clients.stream().map(SlowSocket::received).collect(Collectors.toSet());
  }

  private static Stream<SlowSocket> open(int count) {
    return IntStream.range(0, count).mapToObj(_ -> SlowSocket.to(base));
  }

  private static TransferController resetRoutes() {
    var routes = service.context().getBean(TransferController.class);
    routes.later = new CompletableFuture<>();
    routes.waiting.set(0);
    return routes;
  }

  private static double closedBy(String limit) {
    return meters.get("holdfast.connections.closed").tag("limit", limit).counter().count();
  }

  private static double openConnections() {
    return meters.get("holdfast.connections").gauge().value();
  }
}
