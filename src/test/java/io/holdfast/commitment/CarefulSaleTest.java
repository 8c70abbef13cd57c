package io.holdfast.commitment;

import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.testing.TestServers;

/// What holds of a sale that is written at once holds of one that is read before it is written.
class CarefulSaleTest extends SaleTest {
  CarefulSaleTest(TestServers servers) {
    super(servers);
  }

  @Override
  TestLedger ledger(String jdbcUrl) {
    return TestLedger.careful(jdbcUrl);
  }
}
