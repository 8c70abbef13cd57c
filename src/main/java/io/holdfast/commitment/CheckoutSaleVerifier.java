package io.holdfast.commitment;

import io.holdfast.commitment.SaleVerifier.Sold;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.Gathering;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The second look at what a checkout has sold, before its money is taken. One that is missed is
/// taken by the late looks.
@Singleton
public final class CheckoutSaleVerifier {
  private static final int HOSTS = 1;
  private static final int MOST = 64;

  private final Transactions transactions;
  private final SaleVerifier verifier;
  private final Gathering<Sold, Boolean> looks = new Gathering<>("looks", HOSTS, MOST, this::look);

  CheckoutSaleVerifier(Transactions transactions, SaleVerifier verifier) {
    this.transactions = transactions;
    this.verifier = verifier;
  }

  /// Whether all of a sale is there, now or when it was looked at first.
  public boolean isWhole(HoldId sold) {
    var sale = Sold.of(sold);
    return looks.join(sale).orElseGet(() -> look(List.of(sale)).getFirst());
  }

  private List<@Nullable Boolean> look(List<Sold> sales) {
    var failed = transactions.read(connection -> verifier.failed(connection, sales));
    return sales.stream().<@Nullable Boolean>map(sale -> !failed.contains(sale.holdId())).toList();
  }
}
