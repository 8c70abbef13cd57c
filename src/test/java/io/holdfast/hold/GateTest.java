package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.intent.IntentMode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// No more wait than a bound.
class GateTest {
  private static final int CALLS_MAX = 4_096;

  @Test
  void no_more_calls_wait_for_redis_than_a_bound() {
    var gate = new Gate(new SimpleMeterRegistry(), IntentMode.REDIS);
    var never = new CompletableFuture<Decision>();
    for (var call = 0; call < CALLS_MAX; call++) {
      gate.pass(() -> never);
    }

    var refused = gate.pass(() -> never).toCompletableFuture();

    assertThat(refused).isDone();
    assertThat(refused.join().outcome())
        .isInstanceOfSatisfying(Away.class, away -> assertThat(away.definite()).isTrue());
    never.complete(Decision.fresh(new Away(true, "over")));
    assertThat(gate.pass(() -> new CompletableFuture<>()).toCompletableFuture()).isNotDone();
  }
}
