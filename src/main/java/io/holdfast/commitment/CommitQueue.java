package io.holdfast.commitment;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Who waits for a transaction, and when the next one sets out: at once while none is under way and
/// nobody is announced, and beside others as soon as it is half as large as they are together, so
/// that a crowd is carried by few large transactions and not by many small ones, each of which
/// costs the same however many it carries. Whoever is announced is waited for a moment, and so is a
/// crowd that has just been there.
///
/// @param <G> who waits
final class CommitQueue<G> {
  private static final Duration ANNOUNCED_MAX = Duration.ofMillis(1);
  private static final Duration GLANCE = Duration.ofNanos(250_000);

  /// How much larger those under way may be than the one that sets out beside them.
  private static final double COMPANY = 2;

  /// How many transactions it takes to forget a crowd, and by how much it was larger.
  private static final double MEMORY = 8;

  private static final double FEW = 4;

  private final int most;
  private final Duration companyMax;
  private final AtomicInteger announced = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<G> waiting = new ArrayDeque<>();
  private int underWay;
  private double usual;

  /// @param most how many a transaction takes
  /// @param companyMax how long it waits for others, however long the one beside it takes
  CommitQueue(int most, Duration companyMax) {
    this.most = most;
    this.companyMax = companyMax;
  }

  /// Somebody is on the way here; `present` says that he came, or does not come after all.
  void announce() {
    announced.incrementAndGet();
  }

  void present() {
    announced.decrementAndGet();
  }

  void add(G guest) {
    lock.lock();
    try {
      waiting.add(guest);
      if (waiting.size() == 1 || isCompany()) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Waits until the next transaction sets out. Whoever takes says so by `arrived` later.
  ///
  /// @param left who was left behind by the last one, and goes at once
  List<G> take(List<G> left) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (left.isEmpty()) {
        awaitCompany();
      }
      var taken = new ArrayList<>(left);
      while (taken.size() < most && !waiting.isEmpty()) {
        taken.add(waiting.poll());
      }
      underWay += taken.size();
      usual += (taken.size() - usual) / MEMORY;
      if (!waiting.isEmpty()) {
        changed.signal();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void awaitCompany() throws InterruptedException {
    while (waiting.isEmpty()) {
      changed.await();
    }
    var patience = companyMax.toNanos();
    while (patience > 0 && !isCompany()) {
      patience = changed.awaitNanos(patience);
      if (waiting.isEmpty()) { // somebody else has taken them
        awaitCompany();
        return;
      }
    }
    awaitAnnounced();
  }

  private boolean isCompany() {
    return waiting.size() >= Math.min(underWay / COMPANY, most);
  }

  private void awaitAnnounced() throws InterruptedException {
    var deadline = System.nanoTime() + ANNOUNCED_MAX.toNanos();
    while (isMoreToCome() && System.nanoTime() < deadline) {
      changed.awaitNanos(GLANCE.toNanos());
      if (waiting.isEmpty()) { // somebody else has taken them
        awaitCompany();
        return;
      }
    }
  }

  private boolean isMoreToCome() {
    return waiting.size() < most && (announced.get() > 0 || waiting.size() * FEW < usual);
  }

  /// A transaction has ended.
  void arrived(int guests) {
    lock.lock();
    try {
      underWay -= guests;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /// Whoever waits when nobody takes any more.
  List<G> rest() {
    lock.lock();
    try {
      var rest = new ArrayList<>(waiting);
      waiting.clear();
      return rest;
    } finally {
      lock.unlock();
    }
  }
}
