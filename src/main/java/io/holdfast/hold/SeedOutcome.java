package io.holdfast.hold;

import io.holdfast.pool.Epoch;

/// What beginning an epoch of a pool can come to.
sealed interface SeedOutcome {

  /// The epoch is ours to fill and then to open; no hold is granted in it before that.
  record Seeding() implements SeedOutcome {}

  /// This very epoch has been opened already: a repeated call came late.
  record Open() implements SeedOutcome {}

  /// Somebody else has begun `epoch` since; whoever seeds has to start over with a new one.
  record Superseded(Epoch epoch) implements SeedOutcome {}
}
