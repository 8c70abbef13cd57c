package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
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
  void a_listener_hears_of_its_position_and_gets_its_pass() {
    var room = Room.of(api, 10, "");
    var first = room.ticket("u1");
    var second = room.ticket("u2");
    try (var listener = TicketListener.to(api, second)) {
      listener.await("\"position\":2");

      room.leave(Api.token(), first);
      listener.await("\"position\":1");
      room.admit(1);

      listener.await("\"state\":\"ADMITTED\"");
      var pass = listener.last().get("pass").asText();
      assertThat(room.hold(Api.token(), "u2", pass).statusCode()).isEqualTo(201);
    }
  }

  @Test
  void listening_is_a_sign_of_life() {
    var room = Room.of(api, 10, ",\"graceSeconds\":3");
    var listened = room.ticket("u1");
    try (var listener = TicketListener.to(api, listened)) {
      var silent = room.ticket("u2");
      Await.pause(Duration.ofSeconds(5));

      assertThat(room.state(silent)).isEqualTo("EXPIRED");
      assertThat(room.state(listened)).isEqualTo("WAITING");
      assertThat(listener.events()).isNotEmpty();
    }
  }

  @Test
  void a_ticket_of_another_caller_cannot_be_listened_to() {
    var room = Room.of(api, 10, "");
    var ticket = room.ticket("u1");

    var refused = api.as("eve", "hold").get("/v1/queue/" + ticket + "/stream");

    assertThat(refused.statusCode()).isEqualTo(404);
  }

  @Test
  void a_listener_hears_of_a_change_whose_first_looks_failed(TestServers servers) {
    var room = Room.of(api, 1, "");
    var pass = room.pass("buyer");
    try (var listener = TicketListener.to(api, room.ticket("u1"))) {
      var present = new BrokenKey(servers, "{p:%s}:present".formatted(room.pool()));
      present.spoil();

      room.buy("buyer", pass);
      Await.until(Room.PATIENCE, () -> new Stock(api, room.pool()).counts().equals("0 0 1"));
      present.awaitFailures();
      assertThat(listener.events()).hasSize(1);
      present.restore();

      listener.await("\"state\":\"SOLD_OUT\"");
    }
  }

  @Test
  void a_ticket_has_a_bounded_number_of_listeners_until_one_leaves() {
    var room = Room.of(api, 10, "");
    var ticket = room.ticket("u1");
    var listeners = IntStream.range(0, 4).mapToObj(_ -> TicketListener.to(api, ticket)).toList();

    var refused = TicketListener.answered(api, ticket);
    listeners.getFirst().close();

    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.problem()).contains("too-many-listeners");
    Await.until(Room.PATIENCE, () -> TicketListener.answered(api, ticket).status() == 200);
  }

  /// A key of the script that looks at tickets, but not of the one that tells of changes.
  private record BrokenKey(TestServers servers, String key) {
    private static final Pattern FAILURES = Pattern.compile("errorstat_WRONGTYPE:count=(\\d+)");

    /// More than the sweeps of tickets cause before a look has failed too.
    private static final int ENOUGH = 3;

    void spoil() {
      servers.redis(redis -> redis.rename(key, key + "-aside"));
      servers.redis(redis -> redis.set(key, "no sorted set"));
    }

    void restore() {
      servers.redis(redis -> redis.rename(key + "-aside", key));
    }

    void awaitFailures() {
      var before = failures();
      Await.until(Room.PATIENCE, () -> failures() >= before + ENOUGH);
    }

    private int failures() {
      var found = FAILURES.matcher(servers.redis(redis -> redis.info("errorstats")));
      return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }
  }
}
