package io.holdfast.seatmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;

/// A client of a stream: reads it line by line and builds its own map.
final class Listening implements Flow.Subscriber<String>, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final List<String> comments = new CopyOnWriteArrayList<>();
  private final Map<String, String> map = new TreeMap<>();
  private final Map<String, String> fields = new TreeMap<>();
  private volatile Flow.Subscription subscription;
  private volatile int status;
  private volatile boolean isOver;

  /// An event as it came.
  record Event(String name, String id, String data) {}

  /// @param lastId empty for none
  static Listening to(Api api, String pool, String lastId) {
    var request =
        HttpRequest.newBuilder(api.base().resolve("/v1/pools/" + pool + "/stream"))
            .header("Authorization", "Bearer " + api.key());
    if (!lastId.isEmpty()) {
      request.header("Last-Event-ID", lastId);
    }
    return send(request);
  }

  /// Without a key. Returns when it has a map.
  static Listening by(URI base, String pool, String ticket) {
    var path = "/v1/pools/" + pool + "/stream?ticket=" + ticket;
    return send(HttpRequest.newBuilder(base.resolve(path))).awaitEvents(1);
  }

  private static Listening send(HttpRequest.Builder request) {
    var listening = new Listening();
    request.header("Accept", "text/event-stream");
    CLIENT
        .sendAsync(
            request.build(),
            answer -> {
              listening.status = answer.statusCode();
              return BodySubscribers.fromLineSubscriber(listening);
            })
        .whenComplete((_, _) -> listening.isOver = true);
    return listening;
  }

  /// Returns when it has a map.
  static Listening to(Api api, String pool) {
    return to(api, pool, "").awaitEvents(1);
  }

  Listening awaitEvents(int count) {
    Await.until(PATIENCE, () -> events.size() >= count || isOver);
    assertThat(events).as("status %d", status).hasSizeGreaterThanOrEqualTo(count);
    return this;
  }

  /// Waits until its map equals the response of the items route.
  void awaitTruth(Api api, String pool) {
    Await.until(PATIENCE, () -> map().equals(truth(api, pool)));
  }

  static Map<String, String> truth(Api api, String pool) {
    return read(Http.json(api.get("/v1/pools/" + pool + "/items")).toString());
  }

  synchronized Map<String, String> map() {
    return Map.copyOf(map);
  }

  List<Event> events() {
    return List.copyOf(events);
  }

  List<String> comments() {
    return List.copyOf(comments);
  }

  String lastId() {
    return events.getLast().id;
  }

  boolean isOver() {
    return isOver;
  }

  int status() {
    return status;
  }

  /// Whether each id is a larger number than the one before.
  boolean hasGrowingIds() {
    var ids = events.stream().map(event -> new BigInteger(event.id)).toList();
    for (var i = 1; i < ids.size(); i++) {
      if (ids.get(i).compareTo(ids.get(i - 1)) <= 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
  }

  @Override
  public synchronized void onNext(String line) {
    if (line.startsWith(":")) {
      comments.add(line);
    } else if (line.isEmpty()) {
      dispatch();
    } else {
      var colon = line.indexOf(": ");
      fields.put(line.substring(0, colon), line.substring(colon + 2));
    }
  }

  @Override
  public void onError(Throwable failure) {
    isOver = true;
  }

  @Override
  public void onComplete() {
    isOver = true;
  }

  @Override
  public void close() {
    Await.until(PATIENCE, () -> subscription != null || isOver);
    if (subscription != null) {
      subscription.cancel();
    }
  }

  private void dispatch() {
    if (!fields.containsKey("data")) {
      fields.clear();
      return; // the end of a comment
    }
    var event = new Event(fields.get("event"), fields.get("id"), fields.get("data"));
    fields.clear();
    switch (event.name) {
      case "snapshot" -> {
        map.clear();
        map.putAll(read(event.data));
      }
      case "change" -> {
        var change = Http.json(event.data);
        if (change.has("item")) { // otherwise a summary of the pool
          map.put(change.get("item").asText(), change.get("state").asText());
        }
      }
      default -> {
        return; // of no interest for the map
      }
    }
    events.add(event);
  }

  private static Map<String, String> read(String picture) {
    var read = new TreeMap<String, String>();
    Http.json(picture)
        .get("items")
        .forEach(item -> read.put(item.get("item").asText(), item.get("state").asText()));
    return read;
  }
}
