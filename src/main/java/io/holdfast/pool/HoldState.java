package io.holdfast.pool;

/// The state of a hold: first HELD, then exactly one of the others permanently.
public enum HoldState {
  HELD,
  CONFIRMED,
  RELEASED,
  EXPIRED
}
