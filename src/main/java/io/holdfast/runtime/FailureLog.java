package io.holdfast.runtime;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;

/// Logs one kind of failure when it begins for the first subject and when it has ended for the
/// last, rather than at every attempt. What is logged in one place for all is left out.
public final class FailureLog {
  private final Logger log;
  private final String beginMessage;
  private final String endMessage;
  private final Set<Object> failing = new HashSet<>();
  private boolean hasBegun;

  public FailureLog(Logger log, String beginMessage, String endMessage) {
    this.log = log;
    this.beginMessage = beginMessage;
    this.endMessage = endMessage;
  }

  /// Returns whether the subject did not fail before.
  public synchronized boolean failed(Object subject, RuntimeException why) {
    var isNew = failing.add(subject);
    if (isNew && !hasBegun && !DependencyUnavailable.isLogged(why)) {
      hasBegun = true;
      log.warn("{} ({}: {})", beginMessage, subject, why.getMessage());
    }
    return isNew;
  }

  public synchronized void succeeded(Object subject) {
    if (failing.remove(subject) && failing.isEmpty() && hasBegun) {
      hasBegun = false;
      log.info(endMessage);
    }
  }
}
