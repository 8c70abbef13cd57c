package io.holdfast.catalogue;

import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.Transaction;
import io.micronaut.serde.ObjectMapper;
import java.util.List;

/// Creates pools without a service.
public final class TestPools {
  private TestPools() {}

  public static void create(TestLink link, Pool pool, List<CatalogueItem> items) {
    var writer = new PoolWriter(ObjectMapper.getDefault());
    link.transactions()
        .write(connection -> writer.insert(new Transaction(connection), pool, items, "operator"));
  }
}
