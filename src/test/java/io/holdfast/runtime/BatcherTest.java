package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Await;
import io.holdfast.testing.Requirement;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Calls of one key are sent together while a batch is in flight; each gets its own reply, and what
/// waits too long or is too much is refused.
class BatcherTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final RecordingRoute route = new RecordingRoute();
  private final List<RecordingRoute.Sent> sent = route.sent;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private int inFlightMax = 1_000;
  private final Batcher<String, String, String> batcher = batcher(64, 200, LONG);

  private Batcher<String, String, String> batcher(int weightMax, int pendingMax, Duration wait) {
    var policy =
        new BatchPolicy(32, weightMax, 1, inFlightMax, pendingMax, wait, StartRule.AT_ONCE);
    return new Batcher<>(policy, new BatchMeters("test", meters), route);
  }

  @Test
  void a_call_that_comes_alone_is_sent_at_once() {
    var one = batcher.add("arena", "one");
    route.go();
    assertThat(sent.getFirst().calls()).containsExactly("one");
    route.reply(0);
    assertThat(one.join()).isEqualTo("reply to one");
    batcher.add("arena", "two");
    route.go();
    assertThat(sent.getLast().calls()).containsExactly("two");
  }

  @Test
  void calls_of_one_turn_are_sent_together() {
    batcher.add("arena", "one");
    batcher.add("arena", "two");
    route.go();

    assertThat(sent).hasSize(1);
    assertThat(sent.getFirst().calls()).containsExactly("one", "two");
    assertThat(meters.summary("holdfast.test.batch.size").max()).isEqualTo(2);
    assertThat(meters.timer("holdfast.test.queue.time").count()).isEqualTo(1);
  }

  @Test
  void calls_that_come_while_a_batch_is_in_flight_are_the_next_batch() {
    batcher.add("arena", "one");
    route.go();
    var two = batcher.add("arena", "two");
    var three = batcher.add("arena", "three");
    route.go();
    assertThat(sent).hasSize(1);

    route.reply(0);
    route.reply(1);

    assertThat(sent.getLast().calls()).containsExactly("two", "three");
    assertThat(two.join()).isEqualTo("reply to two");
    assertThat(three.join()).isEqualTo("reply to three");
  }

  @Test
  void while_calls_of_one_key_wait_long_new_ones_are_refused_and_others_are_not() {
    var crowded = batcher(64, 4, Duration.ofSeconds(2));
    crowded.add("arena", "in flight");
    route.go();
    IntStream.range(0, 3).forEach(_ -> crowded.add("arena", "waits"));
    crowded.tick();
    assertThat(crowded.refusal("arena")).as("they have just come").isNull();

    Await.until(
        PATIENCE,
        () -> {
          crowded.tick();
          return crowded.refusal("arena") != null;
        });

    assertThat(crowded.refusal("hall")).isNull();
  }

  @Test
  void keys_do_not_wait_for_one_another() {
    batcher.add("arena", "one");
    batcher.add("hall", "two");
    route.go();

    assertThat(sent).extracting(RecordingRoute.Sent::key).containsExactly("arena", "hall");
  }

  @Test
  @Requirement("AU-19")
  void a_batch_has_a_bounded_weight_and_a_bounded_number_of_calls() {
    var ten = "x".repeat(10);
    IntStream.range(0, 50).forEach(_ -> batcher.add("heavy", ten));
    IntStream.range(0, 50).forEach(_ -> batcher.add("light", "x"));
    batcher.add("too heavy", "x".repeat(1_000));
    route.go();

    assertThat(sent).extracting(batch -> batch.calls().size()).containsExactly(6, 32, 1);
  }

  @Test
  void while_too_many_calls_are_in_flight_other_keys_wait_and_then_all_are_sent() {
    inFlightMax = 2;
    var bounded = batcher(64, 200, LONG);
    var keys = List.of("arena", "hall", "club", "theatre", "stadium");
    var calls = keys.stream().map(key -> bounded.add(key, "call")).toList();
    route.go();
    assertThat(sent).hasSize(2);

    for (var i = 0; i < keys.size(); i++) {
      route.reply(i);
    }

    assertThat(calls).allMatch(CompletableFuture::isDone);
    assertThat(sent).extracting(RecordingRoute.Sent::key).containsExactlyElementsOf(keys);
  }

  @Test
  void calls_behind_a_batch_that_failed_were_not_sent_and_the_next_call_is_sent() {
    var one = batcher.add("arena", "one");
    route.go();
    var two = batcher.add("arena", "two");

    sent.getFirst().replies().completeExceptionally(new CompletionException(new Lost()));
    route.go();

    assertThatThrownBy(one::join).hasCauseInstanceOf(Lost.class);
    assertThatThrownBy(two::join).hasMessageContaining("not sent");
    batcher.add("arena", "three");
    route.go();
    assertThat(sent.getLast().calls()).containsExactly("three");
  }

  @Test
  void a_batch_that_cannot_be_sent_fails_and_the_next_call_is_sent() {
    var broken = batcher.add("arena", "broken");
    route.go();
    assertThatThrownBy(broken::join).hasMessageContaining("broken");
    batcher.add("arena", "two");
    route.go();
    assertThat(sent.getLast().calls()).containsExactly("two");
  }

  @Test
  void more_calls_than_may_be_pending_are_refused_at_once_and_others_go_on() {
    var small = batcher(64, 2, LONG);
    small.add("arena", "one");
    small.add("hall", "two");
    var third = small.add("arena", "three");
    route.go();

    assertThat(refusal(third).retryAfter()).isPositive();
    assertThat(meters.counter("holdfast.test.shed").count()).isEqualTo(1);
    route.reply(0);
    assertThat(small.add("arena", "four")).isNotDone();
  }

  @Test
  void a_call_that_has_waited_too_long_is_refused_while_the_batch_before_it_does_not_end() {
    var impatient = batcher(64, 100, Duration.ofMillis(300));
    var one = impatient.add("arena", "one");
    route.go();
    var two = impatient.add("arena", "two");

    Await.until(
        PATIENCE,
        () -> {
          impatient.tick();
          return two.isDone();
        });

    assertThat(refusal(two).retryAfter()).isPositive();
    assertThat(one).isNotDone(); // it was sent, so only its reply can tell
    route.reply(0);
    assertThat(one.join()).isEqualTo("reply to one");
  }

  @Test
  void a_call_that_has_waited_too_long_is_not_sent_with_the_next_batch() {
    var impatient = batcher(64, 100, Duration.ofMillis(300));
    impatient.add("arena", "one");
    route.go();
    var since = System.nanoTime();
    var late = impatient.add("arena", "late");
    Await.until(PATIENCE, () -> System.nanoTime() - since > Duration.ofMillis(350).toNanos());
    impatient.add("arena", "in time");

    route.reply(0);

    refusal(late);
    assertThat(sent.getLast().calls()).containsExactly("in time");
  }

  @Test
  void retry_after_grows_with_the_queue() {
    var slow = batcher(64, 100, LONG);
    IntStream.range(0, 100).forEach(i -> slow.add("arena", "call " + i));
    slow.tick(); // nothing ends

    assertThat(refusal(slow.add("arena", "last")).retryAfter()).isEqualTo(Duration.ofSeconds(30));
  }

  private static Overloaded refusal(CompletableFuture<String> call) {
    assertThat(call).isCompletedExceptionally();
    assertThat(call.exceptionNow()).isInstanceOf(Overloaded.class);
    return (Overloaded) call.exceptionNow();
  }

  private static final class Lost extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
