package io.holdfast.commitment;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.Pool;
import io.holdfast.pool.TokenAction;
import java.time.Instant;

/// What tokens came to, written together with it. A token in its window has one outcome; an entry
/// whose window has elapsed counts as absent.
final class TokenTable {
  private TokenTable() {}

  /// @param outcome a word, a tab, and what belongs to it
  /// @param at Postgres' clock at the decision, or before it
  record Spent(
      TokenAction action,
      Pool pool,
      String caller,
      Token token,
      Digest digest,
      String outcome,
      Instant at) {}
}
