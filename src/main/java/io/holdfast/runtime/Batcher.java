package io.holdfast.runtime;

import io.holdfast.runtime.BatchQueue.Waiting;
import java.time.Duration;
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
  private final Map<K, BatchQueue<C, R>> queues = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<K> held = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicInteger batches = new AtomicInteger();
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
    var queue = queue(key);
    while (!queue.add(waiting)) { // it has just been removed
      queue = queue(key);
    }
    if (queue.claimStart()) {
      start(key, queue);
    }
    return waiting;
  }

  private BatchQueue<C, R> queue(K key) {
    return queues.computeIfAbsent(key, _ -> new BatchQueue<>(policy, route::weight));
  }

  private void start(K key, BatchQueue<C, R> queue) {
    route.executor(key).execute(() -> sendNext(key, queue));
  }

  private void sendNext(K key, BatchQueue<C, R> queue) {
    if (inFlight.get() >= policy.inFlightMax()) {
      held.add(key);
      if (inFlight.get() < policy.inFlightMax()) { // some have ended meanwhile
        release();
      }
      return;
    }
    batches.incrementAndGet();
    queue.awaitStartRule();
    queue.removeLate(System.nanoTime()).forEach(this::refuse);
    if (isClosed) {
      queue.removeAll().forEach(this::refuseAtStop);
    }
    var batch = queue.take();
    if (batch.isEmpty()) {
      sentNothing(key, queue);
      return;
    }
    inFlight.addAndGet(batch.size());
    meters.sent(batch.size(), System.nanoTime() - batch.getFirst().since);
    if (queue.claimStart()) {
      start(key, queue);
    }
    CompletionStage<List<@Nullable R>> replies;
    try {
      replies = route.send(key, batch.stream().map(waiting -> waiting.call).toList());
    } catch (RuntimeException | Error e) { // or the queue would be busy for ever
      replies = CompletableFuture.failedStage(e);
    }
    replies.whenComplete((all, failure) -> arrived(key, queue, batch, all, failure));
  }

  private void sentNothing(K key, BatchQueue<C, R> queue) {
    batchEnded();
    if (queue.remove()) {
      queues.remove(key, queue);
    }
    release(); // another queue may start instead
  }

  /// Starts a queue that was held because too many calls were in flight. It stays claimed
  /// meanwhile.
  private void release() {
    var key = held.poll();
    if (key != null) {
      start(key, queue(key));
    }
  }

  /// The next batch is put together after the calls that follow from these replies.
  private void arrived(
      K key,
      BatchQueue<C, R> queue,
      List<Waiting<C, R>> batch,
      @Nullable List<@Nullable R> replies,
      @Nullable Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause == null && replies.size() != batch.size()) {
      cause = new IllegalStateException(replies.size() + " replies to " + batch.size() + " calls");
    }
    inFlight.addAndGet(-batch.size());
    var notSent = cause == null ? null : route.notSent(cause);
    if (notSent != null) {
      queue.removeAll().forEach(waiting -> fail(waiting, notSent));
    }
    try {
      release();
      if (queue.leave(batch.size())) {
        start(key, queue);
      }
    } finally { // also where the executor takes no more work, because the service stops
      batchEnded();
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

  private void batchEnded() {
    if (batches.decrementAndGet() == 0 && isClosed) {
      stopped.complete(null);
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

  private void refuse(Waiting<C, R> waiting) {
    meters.shed();
    fail(waiting, new Overloaded(queueLimit.retryAfter(pending.get())));
  }

  private void refuseAtStop(Waiting<C, R> waiting) {
    fail(waiting, new RejectedExecutionException("the service is stopping"));
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
    queues.forEach(
        (key, queue) -> {
          queue.removeLate(now).forEach(this::refuse);
          if (queueLimit.isLong(queue.longestWaitNanos(now))) {
            slow.add(route.group(key));
          }
        });
    queueLimit.update(now, ended.sum(), !slow.isEmpty());
    slowGroups = slow;
    return pending.get() > 0;
  }

  /// Refuses the calls that wait and all later ones, and waits for the batches in flight.
  @Override
  public void close() {
    isClosed = true;
    queues.values().forEach(queue -> queue.removeAll().forEach(this::refuseAtStop));
    if (batches.get() == 0) {
      stopped.complete(null);
    }
    stopped.completeOnTimeout(null, STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
  }
}
