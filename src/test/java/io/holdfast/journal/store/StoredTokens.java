package io.holdfast.journal.store;

import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import java.util.Optional;

/// Reads single entries of `token_result`, whether or not their window has elapsed.
public final class StoredTokens {
  private static final String SELECT =
      "SELECT * FROM token_result WHERE pool = ? AND caller = ? AND token = ?";

  private StoredTokens() {}

  public static Optional<TokenEntry> find(
      Transactions transactions, PoolName pool, TokenRows.Key key) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(SELECT)) {
            select.setString(1, pool.value());
            select.setString(2, key.caller());
            select.setBytes(3, ArrayBinder.bytes(key.token()));
            return TokenRows.entries(select).stream().findFirst();
          }
        });
  }
}
