package io.holdfast.events;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;

/// An HTTP server that records webhook requests and answers with the status a test sets.
public final class Receiver implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private volatile ToIntFunction<Request> status = _ -> 204;
  private volatile Map<String, String> headers = Map.of();
  private volatile byte[] body = new byte[0];

  private Receiver(HttpServer server) {
    this.server = server;
  }

  public static Receiver open() {
    try {
      var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 100);
      var receiver = new Receiver(server);
      server.createContext("/", receiver::handle);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return receiver;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// One received request.
  public record Request(Map<String, List<String>> headers, String body, long nanos) {
    public JsonNode json() {
      try {
        return JSON.readTree(body);
      } catch (IOException e) {
        throw new UncheckedIOException(body, e);
      }
    }

    public String header(String name) {
      return headers.get(name).getFirst();
    }

    public String type() {
      return json().path("type").asText();
    }

    public long sequence() {
      return json().path("sequence").asLong();
    }

    /// Checks the signature with the library of Standard Webhooks.
    public boolean isSignedWith(String secret) {
      try {
        new Webhook(secret).verify(body, headers);
        return true;
      } catch (Exception e) {
        return false;
      }
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook?a=1";
  }

  /// Sets the status of the following responses.
  public Receiver answers(ToIntFunction<Request> status) {
    this.status = status;
    return this;
  }

  Receiver withHeader(String name, String value) {
    headers = Map.of(name, value);
    return this;
  }

  Receiver withBody(byte[] bytes) {
    body = bytes;
    return this;
  }

  public List<Request> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    var text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    var lower = new HashMap<String, List<String>>();
    exchange
        .getRequestHeaders()
        .forEach((k, v) -> lower.put(k.toLowerCase(Locale.ROOT), List.copyOf(v)));
    var request = new Request(Map.copyOf(lower), text, System.nanoTime());
    requests.add(request);
    headers.forEach(exchange.getResponseHeaders()::set);
    var status = this.status.applyAsInt(request);
    exchange.sendResponseHeaders(status, status == 204 || body.length == 0 ? -1 : body.length);
    if (status != 204 && body.length > 0) {
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }
}
