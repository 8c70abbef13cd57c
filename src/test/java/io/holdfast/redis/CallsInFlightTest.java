package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Await;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Calls time out only after replies had a chance to be read.
class CallsInFlightTest {
  private static final Duration TIMEOUT = Duration.ofMillis(20);

  private final CallsInFlight inFlight = new CallsInFlight(TIMEOUT);

  private static final class TestCall extends CompletableFuture<String>
      implements CallsInFlight.Call {
    @Override
    public void fail(Throwable failure) {
      completeExceptionally(failure);
    }
  }

  private TestCall sent() {
    var call = new TestCall();
    inFlight.add(call);
    return call;
  }

  private static void letTimePass() {
    var since = System.nanoTime();
    Await.until(Duration.ofSeconds(10), () -> System.nanoTime() - since > TIMEOUT.toNanos());
  }

  @Test
  void a_call_without_a_reply_times_out_at_the_second_check_after_its_limit() {
    var call = sent();
    letTimePass();

    inFlight.failLate();
    assertThat(call).isNotDone();
    inFlight.failLate();

    assertThat(call.exceptionNow()).isInstanceOf(RedisCommandTimeoutException.class);
    assertThat(inFlight.size()).isZero();
  }

  @Test
  void a_reply_read_between_two_checks_of_a_late_loop_counts() {
    var call = sent();
    letTimePass(); // the loop itself was late

    inFlight.failLate();
    call.complete("reply");
    inFlight.failLate();

    assertThat(call.join()).isEqualTo("reply");
    assertThat(inFlight.size()).isZero();
  }

  @Test
  void a_call_within_its_limit_is_kept_behind_a_late_one() {
    sent();
    letTimePass();
    inFlight.failLate();
    var fresh = sent();

    inFlight.failLate();

    assertThat(fresh).isNotDone();
    assertThat(inFlight.size()).isEqualTo(1);
  }
}
