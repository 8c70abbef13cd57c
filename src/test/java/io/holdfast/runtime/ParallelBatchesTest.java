package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/// Several batches of a key, calls that run alone, and the stop.
class ParallelBatchesTest {
  private final RecordingRoute route = new RecordingRoute();
  private final List<RecordingRoute.Sent> sent = route.sent;
  private final Batcher<String, String, String> batcher = batcher(64, 1);

  private Batcher<String, String, String> batcher(int weightMax, int batchesMax) {
    var policy =
        new BatchPolicy(
            32, weightMax, batchesMax, 1_000, 200, Duration.ofMinutes(1), StartRule.AT_ONCE);
    return new Batcher<>(policy, new BatchMeters("test", new SimpleMeterRegistry()), route);
  }

  @Test
  void so_many_batches_of_a_key_run_at_a_time_and_no_more() {
    var parallel = batcher(64, 2);
    for (var call : List.of("one", "two", "three", "four")) {
      parallel.add("arena", call);
      route.go();
    }
    assertThat(sent)
        .extracting(RecordingRoute.Sent::calls)
        .containsExactly(List.of("one"), List.of("two"));

    route.reply(1);

    assertThat(sent.getLast().calls()).containsExactly("three", "four");
    route.reply(0);
    route.reply(2);
    assertThat(parallel.pending()).isZero();
  }

  @Test
  void calls_beyond_a_full_batch_form_the_next_one() {
    var parallel = batcher(3, 2);
    List.of("a", "b", "c", "d").forEach(call -> parallel.add("arena", call));
    route.go();

    assertThat(sent)
        .extracting(RecordingRoute.Sent::calls)
        .containsExactly(List.of("a", "b", "c"), List.of("d"));
  }

  @Test
  void a_call_that_its_batch_left_out_runs_alone() {
    var one = batcher.add("arena", "one");
    var two = batcher.add("arena", "two");
    route.go();

    sent.getFirst().replies().complete(Arrays.asList("reply to one", null));

    assertThat(one.join()).isEqualTo("reply to one");
    assertThat(two.join()).isEqualTo("two alone");
    assertThat(batcher.pending()).isZero();
  }

  @Test
  void a_batch_with_too_few_replies_fails() {
    var one = batcher.add("arena", "one");
    route.go();

    sent.getFirst().replies().complete(List.of());

    assertThatThrownBy(one::join).hasMessageContaining("0 replies to 1 calls");
  }

  @Test
  void after_the_stop_calls_are_refused_and_the_batch_in_flight_ends() throws Exception {
    var one = batcher.add("arena", "one");
    route.go();
    var two = batcher.add("arena", "two");

    var stop = Thread.ofVirtual().start(batcher::close);

    assertThatThrownBy(two::join).hasCauseInstanceOf(RejectedExecutionException.class);
    var three = batcher.add("arena", "three");
    assertThat(stop.isAlive()).isTrue();
    route.reply(0);
    stop.join();
    assertThat(one.join()).isEqualTo("reply to one");
    assertThatThrownBy(three::join).hasCauseInstanceOf(RejectedExecutionException.class);
    assertThat(sent).hasSize(1);
  }
}
