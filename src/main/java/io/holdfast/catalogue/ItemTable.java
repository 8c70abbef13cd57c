package io.holdfast.catalogue;

import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the table of items. `PoolWriter` writes it.
@PostgresRepository
interface ItemTable extends GenericRepository<ItemTable.Row, String> {

  @Query("SELECT * FROM item WHERE pool = :pool AND ordinal > :after ORDER BY ordinal LIMIT :limit")
  List<Row> page(String pool, int after, int limit);

  @Query("SELECT item FROM item WHERE pool = :pool AND status = 'SOLD'")
  List<String> sold(String pool);

  @MappedEntity("item")
  record Row(
      @Id String item,
      @Nullable String section,
      @Nullable String row,
      @Nullable Integer number,
      @Nullable Double x,
      @Nullable Double y,
      long priceCents) {

    CatalogueItem toItem() {
      return new CatalogueItem(new ItemId(item), section, row, number, x, y, priceCents);
    }
  }
}
