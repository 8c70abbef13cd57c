package io.holdfast.catalogue;

import io.holdfast.pool.Pool;

/// What creating a pool can come to.
public sealed interface CreateOutcome {

  /// The pool is new, at epoch 1.
  record Created() implements CreateOutcome {}

  /// A pool of this name was there already, with just this content, and is in an epoch of its own.
  record Same(Pool present) implements CreateOutcome {}

  /// A pool of this name was there already, with other content; it stays as it is.
  record Different() implements CreateOutcome {}
}
