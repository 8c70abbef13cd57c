package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscribers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;

/// A client of the stream of a ticket.
final class TicketListener implements Flow.Subscriber<String>, AutoCloseable {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final String DATA = "data: ";

  private final List<String> events = new CopyOnWriteArrayList<>();
  private volatile Flow.Subscription subscription;
  private volatile int status;
  private volatile String problem = "";
  private volatile boolean isOver;

  /// Returns when it has the ticket.
  static TicketListener to(Api api, String ticket) {
    var listener = answered(api, ticket);
    assertThat(listener.events).as("status %d", listener.status).isNotEmpty();
    return listener;
  }

  /// Returns when it has the ticket, or was refused.
  static TicketListener answered(Api api, String ticket) {
    var listener = new TicketListener();
    var request =
        HttpRequest.newBuilder(api.base().resolve("/v1/queue/" + ticket + "/stream"))
            .header("Authorization", "Bearer " + api.key());
    CLIENT
        .sendAsync(
            request.build(),
            answer -> {
              listener.status = answer.statusCode();
              return BodySubscribers.fromLineSubscriber(listener);
            })
        .whenComplete((_, _) -> listener.isOver = true);
    Await.until(Room.PATIENCE, () -> !listener.events.isEmpty() || listener.isOver);
    return listener;
  }

  int status() {
    return status;
  }

  /// The body of a refusal.
  String problem() {
    return problem;
  }

  List<String> events() {
    return List.copyOf(events);
  }

  JsonNode last() {
    return Http.json(events.getLast());
  }

  boolean isOpen() {
    return !isOver;
  }

  /// Waits until the last event has this part.
  void await(String part) {
    Await.until(Room.PATIENCE, () -> events.getLast().contains(part));
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(String line) {
    if (line.startsWith(DATA)) {
      events.add(line.substring(DATA.length()));
    } else if (line.startsWith("{")) {
      problem = line;
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
    subscription.cancel();
  }
}
