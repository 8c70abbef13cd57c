package io.holdfast.commitment;

import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.testing.TestServers;

/// Runs the tests of `SaleTest` on the careful path.
class CarefulSaleTest extends SaleTest {
  CarefulSaleTest(TestServers servers) {
    super(servers);
  }

  @Override
  TestLedger ledger(String jdbcUrl) {
    return TestLedger.careful(jdbcUrl);
  }
}
