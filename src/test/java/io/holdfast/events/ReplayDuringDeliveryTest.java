package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.Receiver.Request;
import io.holdfast.events.Subscriber.Registered;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A replay that is requested during a delivery is undone neither by its success nor by its
/// failure.
@ExtendWith(RealServers.class)
class ReplayDuringDeliveryTest {
  private static final int HANGING_MAX_SECONDS = 60;

  private final Receiver receiver = Receiver.open();
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void close() {
    release.countDown();
    receiver.close();
  }

  @Test
  void a_failing_delivery_does_not_delay_the_replay(TestServers servers) {
    receiver.answers(failingThenHanging(2, 503));
    try (var service = service(servers, "30ms,1h")) {
      var subscriber = Subscriber.of(service);
      replayDuringAttempt(2, subscriber);

      assertThat(Subscriber.awaitRequests(receiver, 3))
          .extracting(Request::sequence)
          .containsOnly(1L);
    }
  }

  @Test
  void a_failing_last_attempt_does_not_disable_the_webhook_that_the_replay_enabled(
      TestServers servers) {
    receiver.answers(failingThenHanging(2, 503));
    try (var service = service(servers, "30ms")) {
      var subscriber = Subscriber.of(service);
      var registered = replayDuringAttempt(2, subscriber);

      assertThat(Subscriber.awaitRequests(receiver, 3))
          .extracting(Request::sequence)
          .containsOnly(1L);
      assertThat(subscriber.isEnabled(registered.id())).isTrue();
    }
  }

  @Test
  void an_event_delivered_during_the_replay_is_not_sent_again(TestServers servers) {
    receiver.answers(failingThenHanging(2, 200));
    try (var service = service(servers, "30ms,1h")) {
      var subscriber = Subscriber.of(service);
      var registered = replayDuringAttempt(2, subscriber);

      var rows = Rows.of(servers);
      var sequence = "SELECT seq FROM webhook_lane WHERE webhook_id = " + registered.id();
      Await.until(Subscriber.SOON, () -> rows.number(sequence) == 1);
      assertThat(receiver.requests()).hasSize(2);
    }
  }

  private Registered replayDuringAttempt(int number, Subscriber subscriber) {
    var registered = subscriber.register(receiver, "hold.confirmed");
    subscriber.sell(PricedPools.create(subscriber.api(), "A-1"), "anna", "A-1");
    Subscriber.awaitRequests(receiver, number);
    var replayed = subscriber.replay(registered.id(), "{}");
    assertThat(replayed.statusCode()).as(replayed.body()).isEqualTo(200);
    release.countDown();
    return registered;
  }

  /// @param hanging the number of the attempt that is answered only when it is released
  private ToIntFunction<Request> failingThenHanging(int hanging, int status) {
    return _ -> {
      var number = receiver.requests().size();
      if (number < hanging) {
        return 503;
      }
      await();
      return number == hanging ? status : 200;
    };
  }

  private void await() {
    try {
      release.await(HANGING_MAX_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Service service(TestServers servers, String retries) {
    return Subscriber.service(servers, Map.of("holdfast.webhook-retries", retries));
  }
}
