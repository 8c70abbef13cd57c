package io.holdfast.events.webhook;

import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The registered webhooks. A deleted webhook stays in the table, disabled and hidden. Writes
/// belong into a transaction.
@PostgresRepository
interface WebhookTable extends GenericRepository<Webhook, Long> {

  @Query("SELECT * FROM webhook WHERE enabled ORDER BY id")
  List<Webhook> findEnabled();

  @Query("SELECT * FROM webhook WHERE deleted_at IS NULL AND caller = :caller AND id = :id")
  Optional<Webhook> find(String caller, long id);

  /// @param enabled null for both
  /// @param pool whose events they get; null for any
  @Query(
      """
      SELECT * FROM webhook
       WHERE deleted_at IS NULL AND caller = :caller AND id > :after
         AND (CAST(:enabled AS boolean) IS NULL OR enabled = :enabled)
         AND (CAST(:pool AS text) IS NULL OR pools = '{}' OR :pool = ANY (pools))
       ORDER BY id
       LIMIT :limit
      """)
  List<Webhook> page(
      String caller, @Nullable Boolean enabled, @Nullable String pool, long after, int limit);

  @Query("SELECT count(*) FROM webhook WHERE deleted_at IS NULL")
  int count();

  @Query(
      value =
          """
          INSERT INTO webhook (caller, url, types, pools, secret)
          VALUES (:caller, :url, :types, :pools, :secret)
          RETURNING *
          """,
      nativeQuery = true)
  Webhook insert(String caller, String url, String[] types, String[] pools, String secret);

  /// An old secret that still signs is dropped: at most two sign at a time.
  ///
  /// @param overlapMs how long the replaced secret signs beside the new one
  @Query(
      """
      UPDATE webhook
         SET old_secret = CASE WHEN :overlapMs > 0 THEN secret END,
             old_secret_until = CASE WHEN :overlapMs > 0
                                THEN clock_timestamp() + :overlapMs * interval '1 millisecond' END,
             secret = :secret
       WHERE id = :id
      """)
  void rotate(long id, String secret, long overlapMs);

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
