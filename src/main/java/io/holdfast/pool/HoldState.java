package io.holdfast.pool;

/// The state of a hold: HELD, then exactly one of the others, which is final.
public enum HoldState {
  HELD,
  CONFIRMED,
  RELEASED,
  EXPIRED
}
