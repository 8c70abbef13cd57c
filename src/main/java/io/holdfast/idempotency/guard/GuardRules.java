package io.holdfast.idempotency.guard;

import java.time.Duration;
import java.util.regex.Pattern;

/// The configuration of one guard. No rule lets a repetition extend a window.
///
/// @param window how long an identity is remembered, in whole milliseconds
/// @param commits whether something is committed because of this guard's answer; then it must not
///   answer NOT_SEEN without its store
public record GuardRules(
    String name,
    Duration window,
    Matching matching,
    Expiry expiry,
    FailureMode whenAway,
    boolean commits) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,64}");
  private static final Duration WINDOW_MAX = Duration.ofDays(366);

  public GuardRules {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a guard is named with 1 to 64 of a-z 0-9 -, not '" + name + "'");
    }
    if (window.toMillis() < 1 || window.compareTo(WINDOW_MAX) > 0) {
      throw new IllegalArgumentException(
          "the window of guard %s has to be between 1 ms and 366 days, was %s"
              .formatted(name, window));
    }
    if (commits && whenAway == FailureMode.OPEN) {
      throw new IllegalArgumentException(
          "guard %s decides about a commit, so it has to be CLOSED while its store is unavailable"
              .formatted(name));
    }
  }

  /// Compares exactly, removes eagerly, and is closed while its store is unavailable.
  public static GuardRules of(String name, Duration window) {
    return new GuardRules(name, window, Matching.EXACT, Expiry.EAGER, FailureMode.CLOSED, false);
  }

  public GuardRules matching(Matching rule) {
    return new GuardRules(name, window, rule, expiry, whenAway, commits);
  }

  public GuardRules lazy() {
    return new GuardRules(name, window, matching, Expiry.LAZY, whenAway, commits);
  }

  public GuardRules openWhenAway() {
    return new GuardRules(name, window, matching, expiry, FailureMode.OPEN, commits);
  }

  public GuardRules beforeCommits() {
    return new GuardRules(name, window, matching, expiry, whenAway, true);
  }
}
