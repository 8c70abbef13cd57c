package io.holdfast.commitment.sale;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BlockingBatcher;
import io.holdfast.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommitQueueTest {
  private static final int CALLS_MAX = 4;
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration WELL_BEFORE_PAUSE_ENDS = Duration.ofSeconds(20);

  /// After the longest wait for expected sales.
  private static final long PAST_EXPECTED = Duration.ofMillis(2).toNanos();

  private final CommitQueue queue = new CommitQueue(CALLS_MAX, LONG);

  @Test
  void a_sale_that_arrives_while_no_batch_runs_starts_at_once() {
    assertThat(queue.pauseNanos(1, 0, 0)).isZero();
  }

  @Test
  void an_expected_sale_is_waited_for_until_it_arrives() {
    queue.expectSale();
    assertThat(queue.pauseNanos(1, 0, 0)).isPositive();

    queue.stopExpectingSale();

    assertThat(queue.pauseNanos(2, 0, 0)).isZero();
  }

  @Test
  void an_expected_sale_that_never_arrives_delays_a_batch_by_1_ms_at_most() {
    queue.expectSale();
    assertThat(queue.pauseNanos(1, 0, 0)).isPositive();

    assertThat(queue.pauseNanos(1, 0, PAST_EXPECTED)).isZero();
  }

  @Test
  void a_batch_that_is_full_waits_for_no_expected_sale() {
    queue.expectSale();

    assertThat(queue.pauseNanos(CALLS_MAX, 0, 0)).isZero();
  }

  @Test
  void a_batch_much_smaller_than_the_last_ones_waits_a_moment() {
    var large = new CommitQueue(64, LONG);
    IntStream.range(0, 20).forEach(_ -> large.started(32));

    assertThat(large.pauseNanos(1, 0, 0)).isPositive();
    assertThat(large.pauseNanos(1, 0, PAST_EXPECTED)).isZero();
  }

  @Test
  void a_batch_starts_at_half_the_size_in_flight() {
    assertThat(queue.pauseNanos(1, 4, 0)).isEqualTo(LONG.toNanos());
    assertThat(queue.pauseNanos(2, 4, 0)).isZero();
  }

  @Test
  void a_full_batch_starts_beside_any_number_in_flight() {
    assertThat(queue.pauseNanos(3, 100, 0)).isPositive();
    assertThat(queue.pauseNanos(4, 100, 0)).isZero();
  }

  @Test
  void a_batch_starts_after_the_longest_pause() {
    assertThat(queue.pauseNanos(1, 4, LONG.toNanos() - 1)).isEqualTo(1);
    assertThat(queue.pauseNanos(1, 4, LONG.toNanos())).isZero();
  }

  @Test
  void each_batch_is_measured_anew() {
    assertThat(queue.pauseNanos(2, 4, 0)).isZero();
    queue.started(2);

    assertThat(queue.pauseNanos(1, 6, 0)).isPositive();
  }

  @Test
  void a_batch_that_waits_starts_when_it_becomes_large_enough_or_the_other_one_ends() {
    var open = new ConcurrentHashMap<Integer, CountDownLatch>();
    IntStream.of(0, 1, 2, 10, 11, 20).forEach(call -> open.put(call, new CountDownLatch(1)));
    var batches = new CopyOnWriteArrayList<List<Integer>>();
    var batcher = batcher(open, batches);

    var first = add(batcher, 0);
    Await.until(WELL_BEFORE_PAUSE_ENDS, () -> batches.size() == 1);
    add(batcher, 1, 2); // half as large as the first, so each starts
    Await.until(WELL_BEFORE_PAUSE_ENDS, () -> batches.stream().mapToInt(List::size).sum() == 3);
    add(batcher, 10); // one beside three waits
    assertThat(batches.stream().flatMap(List::stream)).doesNotContain(10);
    add(batcher, 11);
    Await.until(WELL_BEFORE_PAUSE_ENDS, () -> batches.getLast().equals(List.of(10, 11)));

    var last = add(batcher, 20).getFirst(); // one beside five waits
    open.values().forEach(CountDownLatch::countDown);

    assertThat(last).succeedsWithin(WELL_BEFORE_PAUSE_ENDS).isEqualTo(20);
    assertThat(first.getFirst().join()).isZero();
  }

  private BlockingBatcher<Integer, Integer> batcher(
      ConcurrentHashMap<Integer, CountDownLatch> open, List<List<Integer>> batches) {
    return new BlockingBatcher<>(
        "test",
        BatchPolicy.blocking(CALLS_MAX, 8, 100, queue),
        calls -> {
          batches.add(List.copyOf(calls));
          calls.forEach(call -> await(open.get(call)));
          return calls.stream().<@Nullable Integer>map(call -> call).toList();
        },
        call -> call);
  }

  private static void await(CountDownLatch isOpen) {
    try {
      isOpen.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<CompletableFuture<Integer>> add(
      BlockingBatcher<Integer, Integer> batcher, int... calls) {
    return IntStream.of(calls).mapToObj(batcher::add).toList();
  }
}
