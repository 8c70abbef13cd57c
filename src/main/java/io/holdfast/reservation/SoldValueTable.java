package io.holdfast.reservation;

import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.repository.GenericRepository;
import java.util.Optional;

/// Reads the entity that a confirmed reservation belongs to: the order of its commitment.
@PostgresRepository
interface SoldValueTable extends GenericRepository<SoldValueTable.Row, String> {

  @Query(
      """
      SELECT hold_id, order_id, voided_at IS NOT NULL AS is_voided FROM commitment
       WHERE pool = :pool AND hold_id = :holdId
      """)
  Optional<Row> find(String pool, String holdId);

  /// The live commitment of a value.
  @Query(
      """
      SELECT hold_id, order_id, false AS is_voided FROM commitment
       WHERE pool = :pool AND item = :item AND voided_at IS NULL
      """)
  Optional<Row> findLive(String pool, String item);

  @MappedEntity("commitment")
  record Row(@Id String holdId, String orderId, boolean isVoided) {}
}
