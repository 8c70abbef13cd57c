package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.Receiver.Request;
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

/// Deliveries to a failing receiver are retried, paused or given up, and delay no other webhook.
@ExtendWith(RealServers.class)
class FailingReceiverTest {
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
  void a_webhook_is_disabled_after_the_last_retry_and_a_replay_continues_where_it_stopped() {
    receiver.answers(_ -> 503);
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1");
    subscriber.sell(pool, "anna", "A-1");
    Await.until(Subscriber.SOON, () -> !subscriber.isEnabled(registered.id()));
    assertThat(receiver.requests()).hasSize(4); // the first attempt and three retries
    receiver.answers(_ -> 200);

    var replayed = subscriber.replay(registered.id(), "{}");

    assertThat(replayed.statusCode()).as(replayed.body()).isEqualTo(200);
    assertThat(Subscriber.awaitRequests(receiver, 5).getLast().sequence()).isEqualTo(1);
    assertThat(subscriber.isEnabled(registered.id())).isTrue();
  }

  @Test
  void a_receiver_that_answers_410_gets_no_more_events() {
    receiver.answers(_ -> 410);
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1", "A-2");
    subscriber.sell(pool, "anna", "A-1");
    Await.until(Subscriber.SOON, () -> !subscriber.isEnabled(registered.id()));
    subscriber.sell(pool, "anna", "A-2");

    assertThat(Http.json(subscriber.read(registered.id())).get("disabledWhy").asText())
        .contains("410");
    assertThat(receiver.requests()).hasSize(1);
  }

  /// One of the responses may be lost, and a request without a response is repeated sooner.
  @Test
  void the_retry_after_of_a_receiver_is_respected() {
    receiver
        .answers(_ -> receiver.requests().size() <= 2 ? 503 : 200)
        .withHeader("Retry-After", "1");
    subscriber.register(receiver, "hold.confirmed");
    subscriber.sell(priced("A-1"), "anna", "A-1");

    var times = Subscriber.awaitRequests(receiver, 3).stream().map(Request::nanos).toList();

    var longest = Math.max(times.get(1) - times.get(0), times.get(2) - times.get(1));
    assertThat(Duration.ofNanos(longest)).isGreaterThanOrEqualTo(Duration.ofMillis(990));
  }

  @Test
  void a_redirect_is_not_followed_and_counts_as_a_failure() {
    try (var other = Receiver.open()) {
      receiver.answers(_ -> 307).withHeader("Location", other.url());
      subscriber.register(receiver, "hold.confirmed");
      subscriber.sell(priced("A-1"), "anna", "A-1");

      Subscriber.awaitRequests(receiver, 2);

      assertThat(other.requests()).isEmpty();
    }
  }

  @Test
  void a_receiver_that_hangs_does_not_delay_others() {
    try (var hanging = Receiver.open()) {
      var release = new CountDownLatch(1);
      hanging.answers(_ -> await(release));
      subscriber.register(hanging, "hold.confirmed");
      subscriber.register(receiver, "hold.confirmed");
      for (var i = 0; i < 5; i++) {
        var pool =
            priced(IntStream.rangeClosed(1, 10).mapToObj(n -> "A-" + n).toArray(String[]::new));
        IntStream.rangeClosed(1, 10).forEach(n -> subscriber.sell(pool, "anna", "A-" + n));
      }

      assertThat(Subscriber.awaitRequests(receiver, 50)).hasSizeGreaterThanOrEqualTo(50);
      assertThat(
              hanging.requests().stream().map(request -> request.header("webhook-id")).distinct())
          .as("at most one event of each pool is attempted")
          .hasSizeLessThanOrEqualTo(5);
      release.countDown();
    }
  }

  @Test
  void a_large_response_is_not_read_to_its_end() {
    receiver.answers(_ -> 200).withBody(new byte[4 << 20]);
    subscriber.register(receiver, "hold.confirmed");
    var pool = priced("A-1", "A-2");
    subscriber.sell(pool, "anna", "A-1");
    subscriber.sell(pool, "anna", "A-2");

    assertThat(Subscriber.awaitRequests(receiver, 2))
        .extracting(Request::sequence)
        .containsExactly(1L, 2L);
  }

  private static int await(CountDownLatch release) {
    try {
      release.await(HANGING_MAX.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 200;
  }

  static String priced(String... items) {
    return PricedPools.create(subscriber.api(), items);
  }
}
