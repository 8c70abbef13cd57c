package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.Receiver.Told;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A receiver in trouble is tried again, left alone or given up, and holds up nobody else.
@ExtendWith(RealServers.class)
class TroubledReceiverTest {
  private static final Duration HANGING_MAX = Duration.ofMinutes(5);

  private static Service service;
  private static Subscriber subscriber;

  private final Receiver receiver = Receiver.open();

  @BeforeAll
  static void start(TestServers servers) {
    service = Subscriber.service(servers, Map.of());
    subscriber = Subscriber.of(service);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void a_receiver_that_fails_for_too_long_is_disabled_and_a_replay_goes_on_where_it_stopped() {
    receiver.answers(_ -> 503);
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1");
    subscriber.sell(pool, "anna", "A-1");
    Await.until(Subscriber.SOON, () -> !subscriber.isEnabled(registered.id()));
    assertThat(receiver.told()).hasSize(4); // the first try and three more
    receiver.answers(_ -> 200);

    var replayed = subscriber.replay(registered.id(), "{}");

    assertThat(replayed.statusCode()).as(replayed.body()).isEqualTo(200);
    assertThat(Subscriber.told(receiver, 5).getLast().sequence()).isEqualTo(1);
    assertThat(subscriber.isEnabled(registered.id())).isTrue();
  }

  @Test
  void a_receiver_that_is_gone_is_told_no_more() {
    receiver.answers(_ -> 410);
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1", "A-2");
    subscriber.sell(pool, "anna", "A-1");
    Await.until(Subscriber.SOON, () -> !subscriber.isEnabled(registered.id()));
    subscriber.sell(pool, "anna", "A-2");

    assertThat(Http.json(subscriber.read(registered.id())).get("disabledWhy").asText())
        .contains("410");
    assertThat(receiver.told()).hasSize(1);
  }

  @Test
  void a_receiver_that_asks_for_time_gets_it() {
    receiver.answers(_ -> receiver.told().size() == 1 ? 503 : 200).withHeader("Retry-After", "1");
    subscriber.register(receiver, "hold.confirmed");
    subscriber.sell(priced("A-1"), "anna", "A-1");

    var told = Subscriber.told(receiver, 2);

    var between = Duration.ofNanos(told.get(1).nanos() - told.get(0).nanos());
    assertThat(between).isGreaterThanOrEqualTo(Duration.ofMillis(990));
  }

  @Test
  void a_redirect_is_a_refusal() {
    try (var other = Receiver.open()) {
      receiver.answers(_ -> 307).withHeader("Location", other.url());
      subscriber.register(receiver, "hold.confirmed");
      subscriber.sell(priced("A-1"), "anna", "A-1");

      Subscriber.told(receiver, 2);

      assertThat(other.told()).isEmpty();
    }
  }

  @Test
  void a_receiver_that_hangs_does_not_slow_others_down() {
    try (var hanging = Receiver.open()) {
      var release = new CountDownLatch(1);
      hanging.answers(_ -> afterwards(release));
      subscriber.register(hanging, "hold.confirmed");
      subscriber.register(receiver, "hold.confirmed");
      for (var i = 0; i < 5; i++) {
        var pool =
            priced(IntStream.rangeClosed(1, 10).mapToObj(n -> "A-" + n).toArray(String[]::new));
        IntStream.rangeClosed(1, 10).forEach(n -> subscriber.sell(pool, "anna", "A-" + n));
      }

      assertThat(Subscriber.told(receiver, 50)).hasSizeGreaterThanOrEqualTo(50);
      assertThat(hanging.told().stream().map(told -> told.header("webhook-id")).distinct())
          .as("events that were begun, one in each pool, perhaps again and again")
          .hasSizeLessThanOrEqualTo(5);
      release.countDown();
    }
  }

  @Test
  void an_answer_of_any_length_is_not_read_to_its_end() {
    receiver.answers(_ -> 200).withBody(new byte[4 << 20]);
    subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1", "A-2");
    subscriber.sell(pool, "anna", "A-1");
    subscriber.sell(pool, "anna", "A-2");

    assertThat(Subscriber.told(receiver, 2)).extracting(Told::sequence).containsExactly(1L, 2L);
  }

  private static int afterwards(CountDownLatch release) {
    try {
      release.await(HANGING_MAX.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 200;
  }

  static String priced(String... items) {
    return Priced.pool(subscriber.api(), items);
  }
}
