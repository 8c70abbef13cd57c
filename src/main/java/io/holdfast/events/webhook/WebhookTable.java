package io.holdfast.events.webhook;

import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import java.util.Optional;

/// The registered webhooks. A deleted webhook stays in the table, disabled and hidden. Writes
/// belong into a transaction.
@PostgresRepository
interface WebhookTable extends GenericRepository<Webhook, Long> {

  @Query("SELECT * FROM webhook WHERE enabled ORDER BY id")
  List<Webhook> findEnabled();

  @Query("SELECT * FROM webhook WHERE deleted_at IS NULL AND caller = :caller AND id = :id")
  Optional<Webhook> find(String caller, long id);

  @Query(
      """
      SELECT * FROM webhook
       WHERE deleted_at IS NULL AND caller = :caller AND id > :after
       ORDER BY id
       LIMIT :limit
      """)
  List<Webhook> page(String caller, long after, int limit);

  @Query("SELECT count(*) FROM webhook WHERE deleted_at IS NULL")
  int count();

  @Query(
      value =
          """
          INSERT INTO webhook (caller, url, types, secret) VALUES (:caller, :url, :types, :secret)
          RETURNING *
          """,
      nativeQuery = true)
  Webhook insert(String caller, String url, String[] types, String secret);

  @Query("UPDATE webhook SET enabled = true, disabled_why = NULL WHERE id = :id")
  void enable(long id);

  /// @param why is shown to the owner
  @Query("UPDATE webhook SET enabled = false, disabled_why = :why WHERE id = :id AND enabled")
  void disable(long id, String why);

  @Query(
      """
      UPDATE webhook
         SET enabled = false, disabled_why = 'deleted', deleted_at = clock_timestamp()
       WHERE id = :id
      """)
  void markDeleted(long id);
}
