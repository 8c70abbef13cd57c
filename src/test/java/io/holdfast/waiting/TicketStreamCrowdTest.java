package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// More listeners in one room than calls may wait for Redis.
@ExtendWith(RealServers.class)
class TicketStreamCrowdTest {
  private static final int CALLS_MAX = 32;
  private static final int THREADS = 10;
  private static final Duration GRACE = Duration.ofSeconds(6);

  private static Service service;
  private static Api api;

  @BeforeAll
  static void start(TestServers servers) {
    var settings =
        Map.<String, Object>of("holdfast.hold-queue", CALLS_MAX, "holdfast.rate-limit", "off");
    service = RealServers.start(servers, settings);
    Instances.stopDraining(service);
    api = Api.of(service);
  }

  @AfterAll
  static void end() {
    service.close();
  }

  @Test
  void a_crowd_keeps_its_places_and_hears_of_them_while_no_hold_is_refused() {
    var room = Room.of(api, 100, ",\"graceSeconds\":" + GRACE.toSeconds());
    var pass = room.pass("buyer");
    var first = room.ticket("first");
    try (var crowd = Crowd.of(room, 200)) {
      var answers = holdAndRelease(room, pass, GRACE.plusSeconds(1));

      room.leave(Api.token(), first);
      Await.until(Room.PATIENCE, () -> crowd.positions().equals(upTo(200)));
      assertThat(answers).containsOnly(201);
      assertThat(crowd.states()).containsOnly("WAITING");
    }
  }

  @Test
  void a_crowd_hears_again_of_tickets_that_redis_has_lost(TestServers servers) {
    var room = Room.of(api, 100, "");
    try (var crowd = Crowd.of(room, 2 * CALLS_MAX)) {
      servers.redis(RedisCommands::flushdb);

      Await.until(Room.PATIENCE, crowd::isRequeued);
      Await.until(Room.PATIENCE, () -> crowd.positions().equals(upTo(2 * CALLS_MAX)));
      assertThat(crowd.states()).containsOnly("WAITING");
    }
  }

  /// Returns the statuses of all answers to holds.
  private static Set<Integer> holdAndRelease(Room room, String pass, Duration duration) {
    var statuses = new HashSet<Integer>();
    var end = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < end) {
      var placed = room.hold(Api.token(), "buyer", pass);
      statuses.add(placed.statusCode());
      if (placed.statusCode() == 201) {
        api.release(Api.Hold.of(placed).id(), Api.token(), "buyer");
      }
    }
    return statuses;
  }

  private static Set<Long> upTo(int last) {
    return LongStream.rangeClosed(1, last).boxed().collect(Collectors.toSet());
  }

  private record Crowd(List<TicketListener> listeners) implements AutoCloseable {

    /// Each listens as soon as it has joined.
    static Crowd of(Room room, int count) {
      return new Crowd(
          Together.run(THREADS, thread -> some(room, count, thread)).stream()
              .flatMap(List::stream)
              .toList());
    }

    private static List<TicketListener> some(Room room, int count, int thread) {
      return IntStream.range(0, count)
          .filter(i -> i % THREADS == thread)
          .mapToObj(i -> TicketListener.to(room.api(), room.ticket("u" + i)))
          .toList();
    }

    Set<Long> positions() {
      return listeners.stream()
          .map(listener -> listener.last().get("position").asLong())
          .collect(Collectors.toSet());
    }

    Set<String> states() {
      return listeners.stream()
          .map(listener -> listener.last().get("state").asText())
          .collect(Collectors.toSet());
    }

    boolean isRequeued() {
      return listeners.stream().allMatch(listener -> listener.last().get("requeued").asBoolean());
    }

    @Override
    public void close() {
      listeners.forEach(TicketListener::close);
    }
  }
}
