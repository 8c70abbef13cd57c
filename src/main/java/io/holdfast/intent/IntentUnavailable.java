package io.holdfast.intent;

/// The intent layer gave no answer that counts. `definite` tells the two apart that a caller must
/// not mix up: true, the script was not run; false, it may have been, and only asking again under
/// the same id can tell.
public class IntentUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean definite;

  public IntentUnavailable(boolean definite, Throwable cause) {
    super(cause.getMessage(), cause);
    this.definite = definite;
  }

  public final boolean isDefinite() {
    return definite;
  }
}
