package io.holdfast.redis;

import io.holdfast.runtime.DependencyUnavailable;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// A command has no usable reply. `definite` is true if it was not run: it was never sent, or the
/// server refused it. Otherwise it may have been run, and only a retry with the same id can tell.
public final class RedisUnavailable extends RuntimeException implements DependencyUnavailable {
  private static final long serialVersionUID = 1L;

  /// In the error of a script that failed half-way. What it wrote before that line stays written.
  private static final String FAILED_HALF_WAY = "@user_script";

  private final boolean definite;

  private RedisUnavailable(boolean definite, Throwable cause) {
    super(cause.getMessage(), cause);
    this.definite = definite;
  }

  /// The command never left this process.
  static RedisUnavailable notSent(String why) {
    return new RedisUnavailable(true, new RedisException(why));
  }

  /// The call waited behind one that was lost and was never sent.
  public static RedisUnavailable notSent(Throwable cause) {
    return new RedisUnavailable(true, cause);
  }

  static RedisUnavailable because(Throwable cause) {
    return new RedisUnavailable(wasNotRun(cause), cause);
  }

  /// The failure of a stage without the `CompletionException` around it.
  static Throwable unwrap(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /// Whether Redis did not reply within the command timeout.
  boolean isSilence() {
    return getCause() instanceof RedisCommandTimeoutException;
  }

  @Override
  public boolean isDefinite() {
    return definite;
  }

  /// Whether the script itself has a bug, so that no retry helps.
  static boolean isOfScript(@Nullable Throwable cause) {
    return cause instanceof RedisCommandExecutionException
        && String.valueOf(cause.getMessage()).contains(FAILED_HALF_WAY);
  }

  /// Lettuce has no type for a command that it did not send, only these three messages. A test that
  /// cuts the connection checks them.
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
