package io.holdfast.runtime;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Runs the batches of a `Batcher`.
///
/// @param <K> the key of a queue
/// @param <C> a call
/// @param <R> its reply
public interface BatchRoute<K, C, R> {
  /// Runs what puts a batch together and sends it. An event loop runs it after the work that is
  /// already queued there.
  Executor executor(K key);

  /// The name by which callers of `Batcher.refusal` ask. A slow group does not slow down others.
  default String group(K key) {
    return "";
  }

  default int weight(C call) {
    return 1;
  }

  /// Ends with one reply for each call, in their order. A call whose reply is null runs alone.
  CompletionStage<List<@Nullable R>> send(K key, List<C> calls);

  /// Runs a call that its batch left out. May block; it has a virtual thread of its own.
  default R alone(C call) {
    throw new IllegalStateException("a call has no reply, and cannot run alone");
  }

  /// Returns the failure of the calls that wait behind a batch that failed, or null if they are
  /// sent all the same.
  default @Nullable Throwable notSent(Throwable failure) {
    return null;
  }
}
