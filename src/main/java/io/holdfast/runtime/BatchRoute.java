package io.holdfast.runtime;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/// How batches of a `Batcher` travel.
///
/// @param <K> what batches are made by
/// @param <C> a call
/// @param <R> its reply
public interface BatchRoute<K, C, R> {
  /// Where batches of a key are put together. It runs a task after the work that is at hand.
  Executor executor(K key);

  /// What callers name who ask `Batcher.refusal`: a busy group is no reason to refuse another.
  String group(K key);

  int weight(C call);

  /// Ends with one reply for each call, in their order.
  CompletionStage<List<R>> send(K key, List<C> calls);

  /// What calls are told that were not sent because of this failure of the batch before them.
  Throwable notSent(Throwable failure);
}
