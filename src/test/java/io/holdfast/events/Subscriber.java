package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A caller that registers webhooks.
public record Subscriber(Api api) {
  public static final Duration SOON = Duration.ofSeconds(20);

  /// Starts a service that allows webhooks on this machine and retries soon.
  public static Service service(TestServers servers, Map<String, Object> more) {
    var settings = new HashMap<String, Object>();
    settings.put("holdfast.webhooks-private", "true");
    settings.put("holdfast.webhook-retries", "30ms,30ms,30ms");
    settings.putAll(more);
    return RealServers.start(servers, settings);
  }

  public static Subscriber of(Service service) {
    return new Subscriber(Api.of(service));
  }

  /// The id and the secret of a registered webhook.
  public record Registered(String id, String secret) {}

  public Registered register(Receiver receiver, String... types) {
    var created = create(receiver.url(), types);
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    var json = Http.json(created);
    return new Registered(json.get("webhookId").asText(), json.get("secret").asText());
  }

  public HttpResponse<String> create(String url, String... types) {
    return createWithToken(Api.token(), url, types);
  }

  public HttpResponse<String> createWithToken(String token, String url, String... types) {
    var list = List.of(types).stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
    return api.post("/v1/webhooks", token, "{\"url\":\"%s\",\"types\":%s}".formatted(url, list));
  }

  public HttpResponse<String> read(String id) {
    return api.get("/v1/webhooks/" + id);
  }

  public HttpResponse<String> replay(String id, String body) {
    return api.post("/v1/webhooks/" + id + "/replay", Api.token(), body);
  }

  public boolean isEnabled(String id) {
    return Http.json(read(id)).get("enabled").asBoolean();
  }

  /// Holds and sells a seat.
  public Api.Hold sell(String pool, String requester, String item) {
    var hold = api.hold(pool, requester, item);
    var sold = api.confirm(hold, Api.token(), requester, "order-" + item);
    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    return hold;
  }

  /// Waits until the receiver has got this many requests.
  public static List<Receiver.Request> awaitRequests(Receiver receiver, int count) {
    Await.until(SOON, () -> receiver.requests().size() >= count);
    return receiver.requests();
  }
}
