package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A client that listens to its ticket.
@ExtendWith(RealServers.class)
class TicketStreamTest {
  private static Api api;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
  }

  @Test
  void a_listener_hears_of_its_position_and_gets_its_pass() throws Exception {
    var room = Room.of(api, 10, "");
    var first = room.ticket("u1");
    var second = room.ticket("u2");
    try (var listener = new Listener(second)) {
      listener.await("\"position\":2");

      room.leave(Api.token(), first);
      listener.await("\"position\":1");
      room.admit(1);

      listener.await("\"state\":\"ADMITTED\"");
      var last = Http.json(listener.events.getLast());
      assertThat(room.hold(Api.token(), "u2", last.get("pass").asText()).statusCode())
          .isEqualTo(201);
    }
  }

  @Test
  void listening_is_a_sign_of_life() throws Exception {
    var room = Room.of(api, 10, ",\"graceSeconds\":1");
    var listened = room.ticket("u1");
    try (var listener = new Listener(listened)) {
      var silent = room.ticket("u2");
      Await.pause(Duration.ofSeconds(3));

      assertThat(room.state(silent)).isEqualTo("EXPIRED");
      assertThat(room.state(listened)).isEqualTo("WAITING");
      assertThat(listener.events).isNotEmpty();
    }
  }

  @Test
  void a_ticket_of_another_caller_cannot_be_listened_to() {
    var room = Room.of(api, 10, "");
    var ticket = room.ticket("u1");

    var refused = api.as("eve", "hold").get("/v1/queue/" + ticket + "/stream");

    assertThat(refused.statusCode()).isEqualTo(404);
  }

  private static final class Listener implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<String> events = new CopyOnWriteArrayList<>();

    Listener(String ticket) throws Exception {
      var request =
          HttpRequest.newBuilder(URI.create(api.base() + "/v1/queue/" + ticket + "/stream"))
              .header("Authorization", "Bearer " + api.key())
              .build();
      var response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      var lines = new BufferedReader(new InputStreamReader(response.body(), "UTF-8"));
      Thread.ofVirtual().start(() -> read(lines));
    }

    private void read(BufferedReader lines) {
      try {
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith("data: ")) {
            events.add(line.substring("data: ".length()));
          }
        }
      } catch (IOException e) {
        events.add("ended");
      }
    }

    void await(String part) {
      Await.until(Room.PATIENCE, () -> !events.isEmpty() && events.getLast().contains(part));
    }

    @Override
    public void close() {
      client.shutdownNow();
    }
  }
}
