package io.holdfast.runtime;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A `Batcher` for work that blocks, such as transactions. It has one queue, and each batch has a
/// virtual thread.
///
/// A call that its batch left out runs alone, and so does each call of a batch that failed without
/// an effect: a call that cannot succeed fails alone. If a batch may have had an effect, all its
/// calls fail, since a second run could repeat it.
///
/// @param <C> a call
/// @param <R> its result
public final class BlockingBatcher<C, R> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockingBatcher.class);
  private static final String ONLY_KEY = "";

  private final String name;
  private final Together<C, R> together;
  private final Function<C, R> alone;
  private final Batcher<String, C, R> batcher;

  @FunctionalInterface
  public interface Together<C, R> {
    /// Returns a result for each call, in their order; null for a call for which nothing was done.
    ///
    /// @param calls one or more
    List<@Nullable R> results(List<C> calls);
  }

  /// @param name of its threads
  public BlockingBatcher(
      String name, BatchPolicy policy, Together<C, R> together, Function<C, R> alone) {
    this.name = name;
    this.together = together;
    this.alone = alone;
    this.batcher = new Batcher<>(policy, BatchMeters.none(), new Route());
  }

  /// Waits for the result.
  public R call(C call) {
    try {
      return add(call).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException("a batch of " + name + " failed", e.getCause());
    }
  }

  /// Ends with the result on a thread that may block.
  public CompletableFuture<R> add(C call) {
    return batcher.add(ONLY_KEY, call);
  }

  /// Calls that wait, are in a batch or run alone.
  public int pending() {
    return batcher.pending();
  }

  /// Lets the batches that run end. Calls that wait fail.
  @Override
  public void close() {
    batcher.close();
  }

  private final class Route implements BatchRoute<String, C, R> {
    @Override
    public Executor executor(String key) {
      return task -> Thread.ofVirtual().name(name).start(task);
    }

    @Override
    public CompletionStage<List<@Nullable R>> send(String key, List<C> calls) {
      try {
        return CompletableFuture.completedStage(together.results(calls));
      } catch (RuntimeException e) {
        if (e instanceof DependencyUnavailable server) {
          if (!server.isDefinite()) {
            return CompletableFuture.failedStage(e);
          }
        } else {
          LOG.warn("A batch of {} {} failed; each runs alone", calls.size(), name, e);
        }
        return CompletableFuture.completedStage(Collections.nCopies(calls.size(), null));
      }
    }

    @Override
    public R alone(C call) {
      return alone.apply(call);
    }
  }
}
