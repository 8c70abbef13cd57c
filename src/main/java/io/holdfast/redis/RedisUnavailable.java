package io.holdfast.redis;

import io.holdfast.intent.IntentUnavailable;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;

/// Redis gave no answer that counts. `definite` tells the two apart that a caller must not mix up:
/// true, the command was not run (never sent, or refused by the server before it ran); false, it
/// may have been run, and only asking again under the same id can tell.
final class RedisUnavailable extends IntentUnavailable {
  private static final long serialVersionUID = 1L;

  /// Redis names the line at which a script failed; what it wrote before that line stays written.
  private static final String FAILED_HALF_WAY = "@user_script";

  private RedisUnavailable(boolean definite, Throwable cause) {
    super(definite, cause);
  }

  /// It never left this process.
  static RedisUnavailable notSent(String why) {
    return new RedisUnavailable(true, new RedisException(why));
  }

  static RedisUnavailable because(Throwable cause) {
    return new RedisUnavailable(wasNotRun(cause), cause);
  }

  /// Lettuce has no type for a command that it kept to itself, only these three messages; the test
  /// that cuts the connection holds it to them.
  private static boolean wasNotRun(Throwable cause) {
    var message = String.valueOf(cause.getMessage());
    if (cause instanceof RedisCommandExecutionException) {
      return !message.contains(FAILED_HALF_WAY);
    }
    return cause instanceof RedisException
        && (message.startsWith("Currently not connected")
            || message.startsWith("Request queue size exceeded")
            || message.startsWith("Internal stack size exceeded"));
  }
}
