package io.holdfast.pool;

/// Why a hold is EXPIRED: its window or its lease ran out, an operator ended it, or Redis lost it.
public enum EndReason {
  WINDOW,
  LEASE,
  FORCED,
  LOST
}
