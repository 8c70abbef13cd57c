package io.holdfast.events.webhook;

import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;

/// Reads and purges the rows of the delivery log. Writes belong into a transaction.
@PostgresRepository
interface DeliveryAttempts extends GenericRepository<DeliveryAttempt, Long> {

  /// Newest first.
  @Query(
      """
      SELECT * FROM webhook_delivery
       WHERE webhook_id = :webhookId AND id < :before
       ORDER BY id DESC
       LIMIT :limit
      """)
  List<DeliveryAttempt> page(long webhookId, long before, int limit);

  /// Returns the number of deleted rows. Looks only at the oldest `limit` rows: ids grow with time.
  @Query(
      """
      DELETE FROM webhook_delivery
       WHERE id = ANY (ARRAY (
             SELECT id FROM (SELECT id, tried_at FROM webhook_delivery ORDER BY id LIMIT :limit) oldest
              WHERE tried_at < clock_timestamp() - :ageMs * interval '1 millisecond'))
      """)
  int deleteOlderThan(long ageMs, int limit);
}
