package io.holdfast.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;

/// The calls of one key that wait, and how many of its batches are in flight. A `Batcher` removes
/// it when it is empty and nothing is in flight.
///
/// @param <C> a call
/// @param <R> its reply
final class BatchQueue<C, R> {
  private final BatchPolicy policy;
  private final ToIntFunction<C> weightOf;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Waiting<C, R>> calls = new ArrayDeque<>();
  private int batches;
  private int callsInFlight;

  /// Whether a start was claimed and has not taken its batch yet.
  private boolean isStarting;

  private boolean isPaused;
  private long pausedAt;
  private boolean isRemoved;

  static final class Waiting<C, R> extends CompletableFuture<R> {
    final C call;
    final long since = System.nanoTime();

    Waiting(C call) {
      this.call = call;
    }
  }

  BatchQueue(BatchPolicy policy, ToIntFunction<C> weightOf) {
    this.policy = policy;
    this.weightOf = weightOf;
  }

  /// False if the queue has been removed.
  boolean add(Waiting<C, R> waiting) {
    lock.lock();
    try {
      if (!isRemoved) {
        calls.add(waiting);
      }
      if (isPaused && pauseNanos() <= 0) {
        changed.signal();
      }
      return !isRemoved;
    } finally {
      lock.unlock();
    }
  }

  /// True if calls wait and another batch may start, which the caller has to do.
  boolean claimStart() {
    lock.lock();
    try {
      if (isStarting || calls.isEmpty() || batches == policy.batchesMax()) {
        return false;
      }
      isStarting = true;
      return true;
    } finally {
      lock.unlock();
    }
  }

  void awaitStartRule() {
    lock.lock();
    try {
      pausedAt = System.nanoTime();
      for (var pause = pauseNanos(); pause > 0; pause = pauseNanos()) {
        isPaused = true;
        changed.awaitNanos(pause);
      }
    } catch (InterruptedException e) { // then the batch is smaller
      Thread.currentThread().interrupt();
    } finally {
      isPaused = false;
      lock.unlock();
    }
  }

  private long pauseNanos() {
    return calls.isEmpty()
        ? 0
        : policy.startRule().pauseNanos(calls.size(), callsInFlight, System.nanoTime() - pausedAt);
  }

  /// Ends a start and takes its batch. An empty one means that no call waits.
  List<Waiting<C, R>> take() {
    lock.lock();
    try {
      isStarting = false;
      var batch = new ArrayList<Waiting<C, R>>();
      for (var weight = 0; !calls.isEmpty() && batch.size() < policy.callsMax(); ) {
        weight += weightOf.applyAsInt(calls.peek().call);
        if (weight > policy.weightMax() && !batch.isEmpty()) {
          break;
        }
        batch.add(calls.poll());
      }
      if (!batch.isEmpty()) {
        batches++;
        callsInFlight += batch.size();
        policy.startRule().started(batch.size());
      }
      return batch;
    } finally {
      lock.unlock();
    }
  }

  /// True if it was empty and idle. No call can be added after that.
  boolean remove() {
    lock.lock();
    try {
      isRemoved |= calls.isEmpty() && batches == 0 && !isStarting;
      return isRemoved;
    } finally {
      lock.unlock();
    }
  }

  /// A batch has ended. Returns whether the caller has to start the next one, even if no call waits
  /// yet: the replies of this one may lead to calls.
  boolean leave(int size) {
    lock.lock();
    try {
      batches--;
      callsInFlight -= size;
      changed.signal();
      if (isStarting) {
        return false;
      }
      isStarting = true;
      return true;
    } finally {
      lock.unlock();
    }
  }

  List<Waiting<C, R>> removeAll() {
    lock.lock();
    try {
      var all = List.copyOf(calls);
      calls.clear();
      changed.signal();
      return all;
    } finally {
      lock.unlock();
    }
  }

  /// Removes the calls that have waited too long. The oldest one is the first.
  List<Waiting<C, R>> removeLate(long now) {
    lock.lock();
    try {
      var late = new ArrayList<Waiting<C, R>>(0);
      while (!calls.isEmpty() && now - calls.peek().since > policy.waitMax().toNanos()) {
        late.add(calls.poll());
      }
      return late;
    } finally {
      lock.unlock();
    }
  }

  long longestWaitNanos(long now) {
    lock.lock();
    try {
      return calls.isEmpty() ? 0 : now - calls.peek().since;
    } finally {
      lock.unlock();
    }
  }
}
