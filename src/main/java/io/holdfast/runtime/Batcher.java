package io.holdfast.runtime;

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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Collects the calls of one key while batches of that key are in flight, and sends them together
/// once another batch may start. A call that finds no batch in flight is sent at once, unless the
/// start rule waits for more.
///
/// A call that waits has not been sent. It is refused with `Overloaded` when too many wait or when
/// it has waited too long, and with `RejectedExecutionException` when the service stops. The route
/// decides whether calls that wait behind a failed batch are refused too.
///
/// @param <K> the key of a queue
/// @param <C> a call
/// @param <R> its reply
public final class Batcher<K, C, R> implements AutoCloseable {
  /// Batches that may wait, however slowly calls seem to end.
  private static final int BATCHES_MIN = 16;

  private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);

  private final BatchRoute<K, C, R> route;
  private final BatchPolicy policy;
  private final BatchMeters meters;
  private final Map<K, Queue> queues = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Queue> held = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger pending = new AtomicInteger();
  private final LongAdder ended = new LongAdder();
  private final QueueLimit queueLimit;
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private volatile Set<String> slowGroups = Set.of();
  private volatile boolean isClosed;

  public Batcher(BatchPolicy policy, BatchMeters meters, BatchRoute<K, C, R> route) {
    this.route = route;
    this.policy = policy;
    this.meters = meters;
    this.queueLimit =
        new QueueLimit(BATCHES_MIN * policy.callsMax(), policy.pendingMax(), policy.waitMax());
  }

  /// Ends with the reply, with the failure of its batch, or with a refusal.
  public CompletableFuture<R> add(K key, C call) {
    var waiting = new Waiting<C, R>(call);
    if (pending.incrementAndGet() > policy.pendingMax()) {
      refuse(waiting);
      return waiting;
    }
    while (!queues.computeIfAbsent(key, Queue::new).add(waiting)) {} // or it has just been removed
    return waiting;
  }

  public int pending() {
    return pending.get();
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

  /// Refuses the calls that wait and all later ones, and waits for the batches in flight.
  @Override
  public void close() {
    isClosed = true;
    queues.values().forEach(Queue::refuseAll);
    if (inFlight.get() == 0) {
      stopped.complete(null);
    }
    stopped.completeOnTimeout(null, STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  private void refuse(Waiting<C, R> waiting) {
    meters.shed();
    fail(waiting, new Overloaded(queueLimit.retryAfter(pending.get())));
  }

  private void release() {
    var queue = held.poll();
    if (queue != null) {
      queue.start();
    }
  }

  private void reply(Waiting<C, R> waiting, @Nullable R reply) {
    if (reply == null) {
      Thread.ofVirtual().name("alone").start(() -> runAlone(waiting));
    } else {
      pending.decrementAndGet();
      waiting.complete(reply);
    }
  }

  private void runAlone(Waiting<C, R> waiting) {
    try {
      var reply = route.alone(waiting.call);
      pending.decrementAndGet();
      waiting.complete(reply);
    } catch (RuntimeException | Error e) { // or its caller would wait for ever
      fail(waiting, e);
    }
  }

  private void fail(Waiting<C, R> waiting, Throwable failure) {
    pending.decrementAndGet();
    waiting.completeExceptionally(failure);
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
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Waiting<C, R>> calls = new ArrayDeque<>();
    private int batches;
    private int callsInFlight;

    /// Whether `sendNext` is due, runs, waits for the start rule, or is held.
    private boolean isStarting;

    private boolean isPaused;
    private long pausedAt;
    private boolean isRemoved;

    Queue(K key) {
      this.key = key;
    }

    boolean add(Waiting<C, R> waiting) {
      lock.lock();
      try {
        if (isRemoved) {
          return false;
        }
        calls.add(waiting);
        if (isPaused && pauseNanos() <= 0) {
          changed.signal();
        }
        if (isStarting || batches == policy.batchesMax()) {
          return true;
        }
        isStarting = true;
      } finally {
        lock.unlock();
      }
      start();
      return true;
    }

    private void start() {
      route.executor(key).execute(this::sendNext);
    }

    /// Where too many calls are in flight, the queue stays starting and goes on when some have
    /// ended.
    private void sendNext() {
      if (inFlight.get() >= policy.inFlightMax()) {
        held.add(this);
        if (inFlight.get() < policy.inFlightMax()) { // they have ended meanwhile
          release();
        }
        return;
      }
      awaitStartRule();
      refuseLate(System.nanoTime());
      var batch = take();
      if (batch.isEmpty()) {
        if (isClosed) {
          refuseAll();
        }
        release(); // another queue may start instead
        return;
      }
      CompletionStage<List<@Nullable R>> replies;
      try {
        replies = route.send(key, batch.stream().map(waiting -> waiting.call).toList());
      } catch (RuntimeException | Error e) { // or the queue would be busy for ever
        replies = CompletableFuture.failedStage(e);
      }
      replies.whenComplete((all, failure) -> arrived(batch, all, failure));
    }

    private void awaitStartRule() {
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
      return calls.isEmpty() || isClosed
          ? 0
          : policy
              .startRule()
              .pauseNanos(calls.size(), callsInFlight, System.nanoTime() - pausedAt);
    }

    /// Removes a batch from the queue. Calls that it leaves behind start another one, if they may.
    private List<Waiting<C, R>> take() {
      lock.lock();
      try {
        isStarting = false;
        var batch = new ArrayList<Waiting<C, R>>();
        var callsMax = isClosed ? 0 : policy.callsMax();
        for (var weight = 0; !calls.isEmpty() && batch.size() < callsMax; ) {
          weight += route.weight(calls.peek().call);
          if (weight > policy.weightMax() && !batch.isEmpty()) {
            break;
          }
          batch.add(calls.poll());
        }
        if (batch.isEmpty()) {
          isRemoved = batches == 0;
          if (isRemoved) {
            queues.remove(key, this);
          }
          return batch;
        }
        batches++;
        callsInFlight += batch.size();
        inFlight.addAndGet(batch.size());
        policy.startRule().started(batch.size());
        meters.sent(batch.size(), System.nanoTime() - batch.getFirst().since);
        if (!calls.isEmpty() && batches < policy.batchesMax()) {
          isStarting = true;
          start();
        }
        return batch;
      } finally {
        lock.unlock();
      }
    }

    /// The next batch is put together after the calls that follow from these replies.
    private void arrived(
        List<Waiting<C, R>> batch,
        @Nullable List<@Nullable R> replies,
        @Nullable Throwable failure) {
      var cause = failure instanceof CompletionException ? failure.getCause() : failure;
      if (cause == null && replies.size() != batch.size()) {
        cause =
            new IllegalStateException(replies.size() + " replies to " + batch.size() + " calls");
      }
      var notSent = cause == null ? null : route.notSent(cause);
      if (notSent != null) {
        failAll(notSent);
      }
      try {
        leave(batch.size());
      } finally { // also where the executor takes no more work, because the service stops
        ended.add(batch.size());
        for (var i = 0; i < batch.size(); i++) {
          if (cause == null) {
            reply(batch.get(i), replies.get(i));
          } else {
            fail(batch.get(i), cause);
          }
        }
      }
    }

    /// Takes a batch out of flight and starts the next one.
    private void leave(int size) {
      var isDue = false;
      lock.lock();
      try {
        batches--;
        callsInFlight -= size;
        isDue = !isStarting;
        isStarting = true;
        changed.signal();
      } finally {
        lock.unlock();
      }
      if (inFlight.addAndGet(-size) == 0 && isClosed) {
        stopped.complete(null);
      }
      release();
      if (isDue) {
        start();
      }
    }

    private void refuseAll() {
      failAll(new RejectedExecutionException("the service is stopping"));
    }

    private void failAll(Throwable failure) {
      List<Waiting<C, R>> left;
      lock.lock();
      try {
        left = List.copyOf(calls);
        calls.clear();
        changed.signal();
      } finally {
        lock.unlock();
      }
      left.forEach(waiting -> fail(waiting, failure));
    }

    /// Returns how long the oldest of the others has waited. It comes first.
    private long refuseLate(long now) {
      var late = new ArrayList<Waiting<C, R>>(0);
      var longest = 0L;
      lock.lock();
      try {
        while (!calls.isEmpty() && now - calls.peek().since > policy.waitMax().toNanos()) {
          late.add(calls.poll());
        }
        if (!calls.isEmpty()) {
          longest = now - calls.peek().since;
        }
      } finally {
        lock.unlock();
      }
      late.forEach(Batcher.this::refuse);
      return longest;
    }
  }
}
