package io.holdfast.payment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/// A provider that follows docs/payments.md, over real HTTP. Scripted faults apply to the next
/// requests, one after the other, after the money has moved.
public final class ScriptedProvider implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final ConcurrentLinkedQueue<Mishap> script = new ConcurrentLinkedQueue<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final Map<String, Answer> answers = new HashMap<>();
  private final Map<String, Account> accounts = new HashMap<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private int refundsToRefuse;

  /// The fault of the answer.
  @FunctionalInterface
  public interface Mishap {
    void befalls(HttpExchange exchange, Answer answer) throws IOException;
  }

  record Answer(int status, String body) {}

  record Request(String path, String key, String authorization, String body) {}

  private static final class Account {
    Long authorised;
    Long captured;
    long refunded;
    boolean isCancelled;
  }

  ScriptedProvider() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  URI url() {
    return URI.create("http://localhost:" + server.getAddress().getPort() + "/api/v3");
  }

  public void next(Mishap... mishaps) {
    script.addAll(List.of(mishaps));
  }

  void forgetScript() {
    script.clear();
  }

  List<Request> requests() {
    return requests;
  }

  /// That many are declined, and may be asked for again under their ids.
  synchronized void refuseRefunds(int times) {
    refundsToRefuse = times;
  }

  synchronized long captured(String paymentId) {
    var account = accounts.get(paymentId);
    return account == null || account.captured == null ? 0 : account.captured;
  }

  synchronized long refunded(String paymentId) {
    var account = accounts.get(paymentId);
    return account == null ? 0 : account.refunded;
  }

  /// No fault.
  static Mishap none() {
    return ScriptedProvider::send;
  }

  /// Nothing is ever answered.
  Mishap hang() {
    return (_, _) -> {
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    };
  }

  /// The line is cut.
  static Mishap cut() {
    return (exchange, _) -> exchange.close();
  }

  public static Mishap answer(int status, String body) {
    return (exchange, _) -> send(exchange, new Answer(status, body));
  }

  /// Headers at once, and then nothing but a byte now and then, which no header timeout notices.
  Mishap drip() {
    return (exchange, _) -> {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write('{');
      exchange.getResponseBody().flush();
      hang().befalls(exchange, new Answer(0, ""));
    };
  }

  @Override
  public void close() {
    end.countDown();
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      var headers = exchange.getRequestHeaders();
      var key = headers.getFirst("Idempotency-Key");
      var path = exchange.getRequestURI().getRawPath();
      requests.add(new Request(path, key, headers.getFirst("Authorization"), body));
      var answer = decideOnce(key, path, JSON.readTree(body));
      var mishap = script.poll();
      if (mishap == null) {
        send(exchange, answer);
      } else {
        mishap.befalls(exchange, answer);
      }
    }
  }

  private synchronized Answer decideOnce(String key, String path, JsonNode body) {
    if (path.endsWith("/refund") && refundsToRefuse > 0) {
      refundsToRefuse--;
      return new Answer(402, "{}");
    }
    return answers.computeIfAbsent(key, _ -> decide(path.split("/"), body));
  }

  private Answer decide(String[] path, JsonNode body) {
    var paymentId = URLDecoder.decode(path[4], StandardCharsets.UTF_8);
    var account = accounts.computeIfAbsent(paymentId, _ -> new Account());
    var cents = body.get("amountCents").asLong();
    var moved =
        switch (path[5]) {
          case "authorise" -> authorise(account, body.get("method").asText(), cents);
          case "capture" -> capture(account, cents);
          case "cancel" -> cancel(account);
          case "refund" -> refund(account, cents);
          default -> -1;
        };
    return moved < 0 ? new Answer(402, "{}") : done(moved, body.get("currency").asText());
  }

  private static long authorise(Account account, String method, long cents) {
    if (account.isCancelled || method.equals("decline")) {
      return -1;
    }
    return account.authorised = cents;
  }

  private static long capture(Account account, long cents) {
    if (account.isCancelled || account.authorised == null || account.captured != null) {
      return -1;
    }
    return account.captured = cents;
  }

  private static long cancel(Account account) {
    if (account.captured != null && account.captured > account.refunded) {
      return -1;
    }
    var isFreed = account.authorised != null && account.captured == null && !account.isCancelled;
    account.isCancelled = true;
    return isFreed ? account.authorised : 0;
  }

  private static long refund(Account account, long cents) {
    if (account.captured == null) {
      return 0;
    }
    if (cents > account.captured - account.refunded) {
      return -1;
    }
    account.refunded += cents;
    return cents;
  }

  static Answer done(long cents, String currency) {
    return new Answer(
        200,
        "{\"reference\":\"pr-1\",\"amountCents\":%d,\"currency\":\"%s\",\"extra\":[]}"
            .formatted(cents, currency));
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    var bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
  }
}
