package io.holdfast.redis;

import io.holdfast.runtime.DependencyUnavailable;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Redis gave no answer that counts. `definite` is true if the command was not run (never sent, or
/// refused by the server before it ran). Otherwise it may have been run, and only a repetition
/// under the same id can tell.
public final class RedisUnavailable extends RuntimeException implements DependencyUnavailable {
  private static final long serialVersionUID = 1L;

  /// Redis names the line at which a script failed; what it wrote before that line stays written.
  private static final String FAILED_HALF_WAY = "@user_script";

  private final boolean definite;

  private RedisUnavailable(boolean definite, Throwable cause) {
    super(cause.getMessage(), cause);
    this.definite = definite;
  }

  /// It never left this process.
  static RedisUnavailable notSent(String why) {
    return new RedisUnavailable(true, new RedisException(why));
  }

  /// A call that waited behind one that was lost, and so was never sent.
  public static RedisUnavailable notSent(Throwable cause) {
    return new RedisUnavailable(true, cause);
  }

  static RedisUnavailable because(Throwable cause) {
    return new RedisUnavailable(wasNotRun(cause), cause);
  }

  /// What a stage failed with, without what stages put around it.
  static Throwable unwrap(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /// Redis said nothing for the whole time limit of a command.
  boolean isSilence() {
    return getCause() instanceof RedisCommandTimeoutException;
  }

  @Override
  public boolean isDefinite() {
    return definite;
  }

  /// The script itself is wrong, which no repetition mends.
  static boolean isOfScript(@Nullable Throwable cause) {
    return cause instanceof RedisCommandExecutionException
        && String.valueOf(cause.getMessage()).contains(FAILED_HALF_WAY);
  }

  /// Lettuce has no type for a command that it kept to itself, only these three messages; the test
  /// that cuts the connection holds it to them.
  private static boolean wasNotRun(Throwable cause) {
    var message = String.valueOf(cause.getMessage());
    if (cause instanceof RedisCommandExecutionException) {
      return !isOfScript(cause);
    }
    return cause instanceof RedisException
        && (message.startsWith("Currently not connected")
            || message.startsWith("Request queue size exceeded")
            || message.startsWith("Internal stack size exceeded"));
  }
}
