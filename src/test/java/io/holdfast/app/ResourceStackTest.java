package io.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ResourceStackTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ResourceStack closer = new ResourceStack();
  private final List<String> order = new CopyOnWriteArrayList<>();

  @Test
  void resources_close_in_reverse_order_and_a_failure_leaves_none_open() {
    closer.opened("first", () -> order.add("first"));
    closer.opened(
        "second",
        () -> {
          order.add("second");
          throw new IllegalStateException("cannot be closed");
        });

    closer.close();
    closer.close();

    assertThat(order).containsExactly("second", "first");
  }

  @Test
  void a_close_waits_for_the_step_under_way_and_lets_no_other_begin() {
    var mayEnd = new CountDownLatch(1);
    var hasBegun = new CountDownLatch(1);
    closer.opened("resource", () -> order.add("closed"));
    var start =
        CompletableFuture.runAsync(
            () ->
                closer.step(
                    () -> {
                      hasBegun.countDown();
                      await(mayEnd);
                      order.add("step");
                    }),
            Thread::startVirtualThread);
    await(hasBegun);

    var stop = CompletableFuture.runAsync(closer::close, Thread::startVirtualThread);
    Await.until(PATIENCE, closer::isClosed);
    mayEnd.countDown();
    stop.join();
    start.join();

    assertThat(order).containsExactly("step", "closed");
    assertThatThrownBy(() -> closer.step(() -> order.add("late"))).isInstanceOf(StartFailure.class);
    assertThat(order).doesNotContain("late");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
