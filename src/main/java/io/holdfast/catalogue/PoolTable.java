package io.holdfast.catalogue;

import io.holdfast.pool.AuctionTerms;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.Pool.SalesTimes;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.model.DataType;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the table of pools. `PoolWriter` writes it.
@PostgresRepository
interface PoolTable extends GenericRepository<PoolTable.Row, String> {

  @Query(
      """
      SELECT pool.*, price_cents, closes_at, reserve_cents
        FROM pool LEFT JOIN stock USING (pool) LEFT JOIN auction USING (pool)
       WHERE pool = :name AND epoch > 0
      """)
  Optional<Row> find(String name);

  @Query(
      """
      SELECT pool.*, price_cents, closes_at, reserve_cents
        FROM pool LEFT JOIN stock USING (pool) LEFT JOIN auction USING (pool)
       WHERE pool > :after AND epoch > 0
       ORDER BY pool
       LIMIT :limit
      """)
  List<Row> page(String after, int limit);

  @Query(
      """
      SELECT pool.*, price_cents, closes_at, reserve_cents
        FROM pool LEFT JOIN stock USING (pool) LEFT JOIN auction USING (pool)
       WHERE changed_at > now() - :milliseconds * interval '1 millisecond' AND epoch > 0
      """)
  List<Row> changedWithin(long milliseconds);

  @MappedEntity("pool")
  record Row(
      @Id String pool,
      PoolKind kind,
      @TypeDef(type = DataType.JSON) StoredPolicy policy,
      int itemCount,
      @Nullable Long capacity,
      @Nullable Long priceCents,
      @Nullable Instant closesAt,
      @Nullable Long reserveCents,
      long epoch,
      @Nullable Instant salesFrom,
      @Nullable Instant salesUntil,
      boolean closed,
      long version) {

    Pool toPool() {
      return new Pool(
          new PoolName(pool),
          kind,
          policy.toPolicy(kind),
          itemCount,
          capacity,
          priceCents,
          closesAt == null || reserveCents == null
              ? null
              : new AuctionTerms(closesAt, reserveCents),
          new Epoch(epoch),
          sales(),
          version);
    }

    /// Earlier versions stored times before 1970 too. A sale that was to begin then has begun, and
    /// one that was to end then has ended.
    private SalesTimes sales() {
      var from = salesFrom != null && salesFrom.isBefore(Instant.EPOCH) ? null : salesFrom;
      var until =
          salesUntil != null && salesUntil.isBefore(Instant.EPOCH) ? Instant.EPOCH : salesUntil;
      return new SalesTimes(from, until, closed);
    }
  }
}
