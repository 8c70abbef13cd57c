package io.holdfast.commitment.claim;

import io.holdfast.commitment.sale.SaleVerifier;
import io.holdfast.commitment.sale.SaleVerifier.Sold;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BlockingBatcher;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Verifies what a checkout has sold, before its money is taken. `LateSaleVerifier` verifies the
/// sales that were missed here.
@Singleton
public final class CheckoutSaleVerifier {
  private static final int BATCH_MAX = 64;

  private final Transactions transactions;
  private final SaleVerifier verifier;
  private final BlockingBatcher<Sold, Boolean> verifications =
      new BlockingBatcher<>(
          "verifications",
          BatchPolicy.oneAtATime(BATCH_MAX),
          this::verify,
          sale -> verify(List.of(sale)).getFirst());

  CheckoutSaleVerifier(Transactions transactions, SaleVerifier verifier) {
    this.transactions = transactions;
    this.verifier = verifier;
  }

  /// Returns whether all rows of a sale are there, now or at its first verification.
  public boolean isWhole(HoldId sold) {
    return verifications.call(Sold.of(sold));
  }

  private List<@Nullable Boolean> verify(List<Sold> sales) {
    var failed = transactions.read(connection -> verifier.failed(connection, sales));
    return sales.stream().<@Nullable Boolean>map(sale -> !failed.contains(sale.holdId())).toList();
  }
}
