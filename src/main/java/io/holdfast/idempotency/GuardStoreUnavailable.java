package io.holdfast.idempotency;

/// The store of a guard gave no answer. Whether it took what it was told is not known.
public final class GuardStoreUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public GuardStoreUnavailable(Throwable cause) {
    super(cause.getMessage(), cause);
  }
}
