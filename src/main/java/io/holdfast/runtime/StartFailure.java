package io.holdfast.runtime;

import org.jspecify.annotations.Nullable;

/// Why the service cannot run, as one sentence for the person at the terminal: what is wrong and
/// what to do about it. The launcher prints the sentence and exits with a non-zero code.
public final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isExplained;

  public StartFailure(String sentence) {
    this(sentence, null);
  }

  public StartFailure(String sentence, @Nullable Throwable cause) {
    this(sentence, cause, true);
  }

  private StartFailure(String sentence, @Nullable Throwable cause, boolean isExplained) {
    super(sentence, cause);
    this.isExplained = isExplained;
  }

  /// For an unexpected error, which is a bug: the whole stack trace is printed.
  public static StartFailure unforeseen(Throwable cause) {
    return new StartFailure("Holdfast met an error that it does not know.", cause, false);
  }

  public boolean isExplained() {
    return isExplained;
  }
}
