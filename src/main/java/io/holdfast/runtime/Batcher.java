package io.holdfast.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Collects the calls of one key while a batch of that key is in flight, and sends them together
/// once it has ended. A call that finds no batch in flight is sent at once.
///
/// A call that waits has not been sent. It is refused with `Overloaded` when too many wait or when
/// it has waited too long. After a batch that failed, the calls that wait behind it are refused
/// too: the next batch would fail as well.
///
/// @param <K> what batches are made by
/// @param <C> a call
/// @param <R> its reply
public final class Batcher<K, C, R> {
  /// Batches that may wait, however slowly calls seem to end.
  private static final int BATCHES_MIN = 16;

  private final BatchRoute<K, C, R> route;
  private final Limits limits;
  private final BatchMeters meters;
  private final Map<K, Queue> queues = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Queue> held = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger pending = new AtomicInteger();
  private final LongAdder ended = new LongAdder();
  private final QueueLimit queueLimit;
  private volatile Set<String> slowGroups = Set.of();

  /// @param callsMax of one batch
  /// @param inFlightMax calls of all keys together that were sent and have no reply
  /// @param weightMax of one batch; a call that weighs more travels alone
  /// @param pendingMax calls that wait or are in flight, of all keys together
  /// @param waitMax of a call before it is sent
  public record Limits(
      int callsMax, int weightMax, int inFlightMax, int pendingMax, Duration waitMax) {}

  /// @param name of its meters
  public Batcher(String name, Limits limits, MeterRegistry meters, BatchRoute<K, C, R> route) {
    this.route = route;
    this.limits = limits;
    this.meters = new BatchMeters(name, meters);
    this.queueLimit =
        new QueueLimit(BATCHES_MIN * limits.callsMax, limits.pendingMax, limits.waitMax);
  }

  /// Ends with the reply, with the failure of its batch, or with `Overloaded`.
  public CompletableFuture<R> add(K key, C call) {
    var waiting = new Waiting<C, R>(call);
    if (pending.incrementAndGet() > limits.pendingMax) {
      refuse(waiting);
      return waiting;
    }
    while (!queues.computeIfAbsent(key, Queue::new).add(waiting)) {} // or it has just been removed
    return waiting;
  }

  /// Returns how long a caller should wait if a call of this group that was added now would wait
  /// too long, and counts it as refused; otherwise null. Costs less than adding the call.
  public @Nullable Duration refusal(String group) {
    var calls = pending.get();
    if (!queueLimit.isReached(calls) || !slowGroups.contains(group)) {
      return null;
    }
    meters.shed();
    return queueLimit.retryAfter(calls);
  }

  /// Refuses the calls that have waited too long behind a batch that does not end. To be called
  /// many times in `waitMax` while calls are pending, by one thread at a time. Returns whether any
  /// are.
  public boolean tick() {
    var now = System.nanoTime();
    var slow = new HashSet<String>();
    for (var queue : queues.values()) {
      if (queueLimit.isLong(queue.refuseLate(now))) {
        slow.add(route.group(queue.key));
      }
    }
    queueLimit.update(now, ended.sum(), !slow.isEmpty());
    slowGroups = slow;
    return pending.get() > 0;
  }

  private void refuse(Waiting<C, R> waiting) {
    meters.shed();
    end(waiting, null, new Overloaded(queueLimit.retryAfter(pending.get())));
  }

  private void release() {
    var queue = held.poll();
    if (queue != null) {
      route.executor(queue.key).execute(queue::sendNext);
    }
  }

  private void end(Waiting<C, R> waiting, @Nullable R reply, @Nullable Throwable failure) {
    pending.decrementAndGet();
    if (failure == null) {
      waiting.complete(reply);
    } else {
      waiting.completeExceptionally(failure);
    }
  }

  private static final class Waiting<C, R> extends CompletableFuture<R> {
    private final C call;
    private final long since = System.nanoTime();

    Waiting(C call) {
      this.call = call;
    }
  }

  /// The calls of one key. It is removed when it is empty and nothing is in flight.
  private final class Queue {
    private final K key;
    private final ArrayDeque<Waiting<C, R>> calls = new ArrayDeque<>();
    private boolean isBusy;
    private boolean isRemoved;

    Queue(K key) {
      this.key = key;
    }

    boolean add(Waiting<C, R> waiting) {
      synchronized (this) {
        if (isRemoved) {
          return false;
        }
        calls.add(waiting);
        if (isBusy) {
          return true;
        }
        isBusy = true;
      }
      route.executor(key).execute(this::sendNext);
      return true;
    }

    /// Where too many calls are in flight, the queue stays busy and goes on when some have ended.
    private void sendNext() {
      if (inFlight.get() >= limits.inFlightMax) {
        held.add(this);
        if (inFlight.get() < limits.inFlightMax) { // they have ended meanwhile
          release();
        }
        return;
      }
      var batch = next();
      if (batch.isEmpty()) {
        release(); // its turn is another's
        return;
      }
      inFlight.addAndGet(batch.size());
      CompletionStage<List<R>> replies;
      try {
        replies = route.send(key, batch.stream().map(waiting -> waiting.call).toList());
      } catch (RuntimeException | Error e) { // or the queue would be busy for ever
        replies = CompletableFuture.failedStage(e);
      }
      replies.whenComplete((all, failure) -> arrived(batch, all, failure));
    }

    /// The next batch is put together after the calls that follow from these replies.
    private void arrived(
        List<Waiting<C, R>> batch, @Nullable List<R> replies, @Nullable Throwable failure) {
      var cause = failure instanceof CompletionException ? failure.getCause() : failure;
      inFlight.addAndGet(-batch.size());
      if (cause != null) {
        giveUp(cause);
      }
      try {
        release();
        route.executor(key).execute(this::sendNext);
      } finally { // also where it takes no more work, because the service stops
        ended.add(batch.size());
        for (var i = 0; i < batch.size(); i++) {
          end(batch.get(i), replies == null ? null : replies.get(i), cause);
        }
      }
    }

    private void giveUp(Throwable failure) {
      List<Waiting<C, R>> left;
      synchronized (this) {
        left = List.copyOf(calls);
        calls.clear();
      }
      var notSent = route.notSent(failure);
      left.forEach(waiting -> end(waiting, null, notSent));
    }

    private List<Waiting<C, R>> next() {
      var now = System.nanoTime();
      refuseLate(now);
      synchronized (this) {
        var batch = new ArrayList<Waiting<C, R>>();
        for (var weight = 0; !calls.isEmpty() && batch.size() < limits.callsMax; ) {
          weight += route.weight(calls.peek().call);
          if (weight > limits.weightMax && !batch.isEmpty()) {
            break;
          }
          batch.add(calls.poll());
        }
        if (batch.isEmpty()) {
          isBusy = false;
          isRemoved = true;
          queues.remove(key, this);
        } else {
          meters.sent(batch.size(), now - batch.getFirst().since);
        }
        return batch;
      }
    }

    /// Returns how long the oldest of the others has waited. It comes first.
    private long refuseLate(long now) {
      var late = new ArrayList<Waiting<C, R>>(0);
      var longest = 0L;
      synchronized (this) {
        while (!calls.isEmpty() && now - calls.peek().since > limits.waitMax.toNanos()) {
          late.add(calls.poll());
        }
        if (!calls.isEmpty()) {
          longest = now - calls.peek().since;
        }
      }
      late.forEach(Batcher.this::refuse);
      return longest;
    }
  }
}
