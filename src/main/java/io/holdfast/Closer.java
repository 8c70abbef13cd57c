package io.holdfast;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes in reverse order what a start has opened so far, once, whoever asks first: the failed
/// start, the ordinary end, or a signal half-way. What is opened after that is closed at once.
final class Closer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Closer.class);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private boolean isClosed;

  /// Returns `resource`, which belongs to this closer from now on.
  <T extends AutoCloseable> T opened(T resource) {
    synchronized (opened) {
      if (!isClosed) {
        opened.push(resource);
        return resource;
      }
    }
    closeOne(resource);
    throw brokenOff();
  }

  boolean isClosed() {
    synchronized (opened) {
      return isClosed;
    }
  }

  static StartFailure brokenOff() {
    return new StartFailure("The start was broken off; everything that it had started was ended.");
  }

  /// A second caller waits for the first, so that nobody takes a half-closed service for closed.
  @Override
  public synchronized void close() {
    synchronized (opened) {
      isClosed = true;
    }
    while (!opened.isEmpty()) {
      closeOne(opened.pop());
    }
  }

  /// One resource that cannot be closed must not keep the others open.
  private static void closeOne(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      LOG.warn("{} could not be closed, going on with the rest", resource, e);
    }
  }
}
