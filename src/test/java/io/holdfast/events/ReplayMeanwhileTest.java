package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.Receiver.Told;
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

/// A replay that is asked for while a delivery is under way, which then ends one way or the other.
@ExtendWith(RealServers.class)
class ReplayMeanwhileTest {
  private static final int HANGING_MAX_SECONDS = 60;

  private final Receiver receiver = Receiver.open();
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void close() {
    release.countDown();
    receiver.close();
  }

  @Test
  void the_delivery_that_fails_does_not_put_the_replay_off(TestServers servers) {
    receiver.answers(failingThenHanging(2, 503));
    try (var service = service(servers, "30ms,1h")) {
      var subscriber = Subscriber.of(service);
      replayDuringTry(2, subscriber);

      assertThat(Subscriber.told(receiver, 3)).extracting(Told::sequence).containsOnly(1L);
    }
  }

  @Test
  void the_last_try_that_fails_does_not_disable_what_the_replay_has_enabled(TestServers servers) {
    receiver.answers(failingThenHanging(2, 503));
    try (var service = service(servers, "30ms")) {
      var subscriber = Subscriber.of(service);
      var registered = replayDuringTry(2, subscriber);

      assertThat(Subscriber.told(receiver, 3)).extracting(Told::sequence).containsOnly(1L);
      assertThat(subscriber.isEnabled(registered.id())).isTrue();
    }
  }

  @Test
  void what_the_delivery_has_brought_is_not_brought_again(TestServers servers) {
    receiver.answers(failingThenHanging(2, 200));
    try (var service = service(servers, "30ms,1h")) {
      var subscriber = Subscriber.of(service);
      var registered = replayDuringTry(2, subscriber);

      var rows = Rows.of(servers);
      var lanes = "SELECT seq FROM webhook_lane WHERE webhook_id = " + registered.id();
      Await.until(Subscriber.SOON, () -> rows.number(lanes) == 1);
      assertThat(receiver.told()).hasSize(2);
    }
  }

  private Registered replayDuringTry(int number, Subscriber subscriber) {
    var registered = subscriber.register(receiver, "hold.confirmed");
    subscriber.sell(Priced.pool(subscriber.api(), "A-1"), "anna", "A-1");
    Subscriber.told(receiver, number);
    var replayed = subscriber.replay(registered.id(), "{}");
    assertThat(replayed.statusCode()).as(replayed.body()).isEqualTo(200);
    release.countDown();
    return registered;
  }

  /// @param hanging the number of the try that gets its answer when it is released
  private ToIntFunction<Told> failingThenHanging(int hanging, int status) {
    return _ -> {
      var number = receiver.told().size();
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
