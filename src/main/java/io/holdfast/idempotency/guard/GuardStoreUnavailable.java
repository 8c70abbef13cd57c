package io.holdfast.idempotency.guard;

/// The store of a guard did not answer. Whether it has recorded the identity is unknown.
public final class GuardStoreUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public GuardStoreUnavailable(Throwable cause) {
    super(cause.getMessage(), cause);
  }
}
