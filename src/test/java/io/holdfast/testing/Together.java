package io.holdfast.testing;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// Runs several threads that start at the same moment.
public final class Together {
  private Together() {}

  /// Returns the results in the order of thread numbers. No thread starts before all are ready.
  public static <T> List<T> run(int count, IntFunction<T> each) {
    var start = new CountDownLatch(count);
    var tasks = IntStream.range(0, count).mapToObj(i -> task(start, i, each)).toList();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      return executor.invokeAll(tasks).stream().map(Together::result).toList();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static <T> Callable<T> task(CountDownLatch start, int number, IntFunction<T> each) {
    return () -> {
      start.countDown();
      start.await();
      return each.apply(number);
    };
  }

  private static <T> T result(Future<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }
}
