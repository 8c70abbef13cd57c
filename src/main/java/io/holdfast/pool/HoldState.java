package io.holdfast.pool;

/// Where a hold stands: HELD, then exactly one of the others, for ever.
public enum HoldState {
  HELD,
  CONFIRMED,
  RELEASED,
  EXPIRED
}
