package io.holdfast.catalogue;

import io.holdfast.pool.Pool;

/// The result of creating a pool.
sealed interface CreateOutcome {

  /// The pool is new, at epoch 1.
  record Created() implements CreateOutcome {}

  /// There is a pool of this name with equal content, possibly in a later epoch.
  record Same(Pool present) implements CreateOutcome {}

  /// There is a pool of this name with other content. It is not changed.
  record Different() implements CreateOutcome {}
}
