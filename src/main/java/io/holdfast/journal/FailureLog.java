package io.holdfast.journal;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;

/// What keeps one kind of trouble in mind, and tells the log when it begins for the first and when
/// it is over for the last of all that have it: once a change, not once a try.
final class FailureLog {
  private final Logger log;
  private final String whenItBegins;
  private final String whenItIsOver;
  private final Set<Object> troubled = new HashSet<>();

  FailureLog(Logger log, String whenItBegins, String whenItIsOver) {
    this.log = log;
    this.whenItBegins = whenItBegins;
    this.whenItIsOver = whenItIsOver;
  }

  /// Answers whether this is news.
  synchronized boolean has(Object who, RuntimeException why) {
    var isNew = troubled.add(who);
    if (isNew && troubled.size() == 1) {
      log.warn("{} ({}: {})", whenItBegins, who, why.getMessage());
    }
    return isNew;
  }

  synchronized void hasNot(Object who) {
    if (troubled.remove(who) && troubled.isEmpty()) {
      log.info(whenItIsOver);
    }
  }
}
