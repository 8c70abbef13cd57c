package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Await;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Work that blocks runs in batches. A call that its batch cannot do runs alone, unless it may have
/// been done already.
class BlockingBatcherTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// What a call that ran alone is given.
  private static final int ALONE = -1;

  private final List<List<Integer>> batches = new CopyOnWriteArrayList<>();

  @Test
  void a_lone_call_runs_at_once() {
    var batcher = batcher(1, 10, Function.identity());

    assertThat(batcher.call(7)).isEqualTo(7);
    assertThat(batches).containsExactly(List.of(7));
  }

  @Test
  void calls_that_arrive_during_a_batch_are_the_next_ones() {
    var isOpen = new CountDownLatch(1);
    var batcher = batcher(1, 4, awaiting(isOpen));

    var first = batcher.add(0);
    Await.until(PATIENCE, () -> batches.size() == 1);
    var others = IntStream.rangeClosed(1, 6).mapToObj(batcher::add).toList();
    isOpen.countDown();

    assertThat(first.join()).isZero();
    assertThat(others).extracting(CompletableFuture::join).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(batches).containsExactly(List.of(0), List.of(1, 2, 3, 4), List.of(5, 6));
  }

  @Test
  void so_many_batches_run_at_a_time_and_no_more() {
    var now = new AtomicInteger();
    var most = new AtomicInteger();
    var batcher =
        batcher(
            2,
            3,
            call -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              Thread.yield();
              now.decrementAndGet();
              return call;
            });

    var results = Together.run(500, batcher::call);

    assertThat(results).containsExactlyElementsOf(IntStream.range(0, 500).boxed().toList());
    assertThat(most.get()).isLessThanOrEqualTo(2);
    assertThat(batches).allMatch(batch -> batch.size() <= 3);
    assertThat(batcher.pending()).isZero();
  }

  @Test
  void a_call_that_its_batch_left_out_runs_alone() {
    assertThat(batcher(1, 10, _ -> null).call(1)).isEqualTo(ALONE);
  }

  @Test
  void if_nothing_was_done_each_call_runs_alone() {
    assertThat(batcher(1, 10, throwing(new ServerLost(true))).call(1)).isEqualTo(ALONE);
    assertThat(batcher(1, 10, throwing(new IllegalStateException())).call(1)).isEqualTo(ALONE);
  }

  @Test
  void a_call_that_may_have_run_is_not_repeated() {
    var lost = new ServerLost(false);

    assertThatThrownBy(() -> batcher(1, 10, throwing(lost)).call(1)).isSameAs(lost);
  }

  @Test
  void calls_after_one_that_may_have_run_are_executed() throws Exception {
    var isOpen = new CountDownLatch(1);
    var batcher = batcher(1, 1, firstThrows(isOpen, new ServerLost(false)));

    var first = batcher.add(0);
    var second = batcher.add(1);
    isOpen.countDown();

    assertThat(second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
    assertThatThrownBy(() -> first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .hasCauseInstanceOf(ServerLost.class);
  }

  @Test
  void an_error_ends_a_call_and_not_the_batcher() throws Exception {
    var isOpen = new CountDownLatch(1);
    var batcher = batcher(1, 1, firstThrows(isOpen, new StackOverflowError()));

    var first = batcher.add(0);
    var second = batcher.add(1);
    isOpen.countDown();

    assertThat(second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
    assertThatThrownBy(() -> first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .hasCauseInstanceOf(StackOverflowError.class);
    assertThatThrownBy(() -> batcher.call(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void a_call_that_fails_alone_fails_only_itself() {
    var batcher =
        new BlockingBatcher<Integer, Integer>(
            "test",
            BatchPolicy.oneAtATime(10),
            calls -> calls.stream().<@Nullable Integer>map(_ -> null).toList(),
            call -> 10 / call);

    assertThatThrownBy(() -> batcher.call(0)).isInstanceOf(ArithmeticException.class);
    assertThat(batcher.call(5)).isEqualTo(2);
    assertThat(batcher.pending()).isZero();
  }

  private BlockingBatcher<Integer, Integer> batcher(
      int batchesMax, int callsMax, Function<Integer, @Nullable Integer> work) {
    return new BlockingBatcher<>(
        "test",
        BatchPolicy.blocking(callsMax, batchesMax, 1_000, StartRule.AT_ONCE),
        calls -> {
          batches.add(List.copyOf(calls));
          return calls.stream().<@Nullable Integer>map(work).toList();
        },
        _ -> ALONE);
  }

  private static Function<Integer, Integer> awaiting(CountDownLatch isOpen) {
    return call -> {
      try {
        isOpen.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return call;
    };
  }

  private static Function<Integer, Integer> firstThrows(CountDownLatch isOpen, Throwable thrown) {
    var awaiting = awaiting(isOpen);
    return call -> awaiting.apply(call) == 0 ? throwing(thrown).apply(call) : call;
  }

  private static Function<Integer, Integer> throwing(Throwable thrown) {
    return _ -> {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) thrown;
    };
  }
}
