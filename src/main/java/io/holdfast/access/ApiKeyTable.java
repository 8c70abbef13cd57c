package io.holdfast.access;

import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.model.DataType;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The API keys of callers. Writes belong into a transaction.
@PostgresRepository
interface ApiKeyTable extends GenericRepository<ApiKeyRow, Long> {

  List<ApiKeyRow> findByRevokedAtIsNull();

  /// A checksum that changes with every change of the table.
  @Query(
      "SELECT coalesce(md5(string_agg(CAST(k AS text), chr(10) ORDER BY id)), '') FROM api_key k")
  String checksum();

  /// A key without its hash.
  ///
  /// @param revokedAt null for a key that is in force
  @MappedEntity("api_key")
  record Summary(
      @Id long id,
      String caller,
      @TypeDef(type = DataType.STRING_ARRAY) List<String> scopes,
      String createdBy,
      Instant createdAt,
      @Nullable Instant revokedAt) {}

  /// The keys of a caller and those that it has made for others.
  ///
  /// @param owner whose keys; null for all of these
  /// @param revoked whether revoked keys or those in force; null for both
  @Query(
      """
      SELECT id, caller, scopes, created_by, created_at, revoked_at FROM api_key
       WHERE (caller = :caller OR created_by = :caller) AND id > :after
         AND (CAST(:owner AS text) IS NULL OR caller = :owner)
         AND (CAST(:revoked AS boolean) IS NULL OR (revoked_at IS NOT NULL) = :revoked)
       ORDER BY id
       LIMIT :limit
      """)
  List<Summary> page(
      String caller, @Nullable String owner, @Nullable Boolean revoked, long after, int limit);

  /// Returns the row with its id.
  ApiKeyRow save(ApiKeyRow row);

  /// Returns 0 if there is no such key that the maker may revoke. The time of an earlier revocation
  /// is kept.
  @Query(
      """
      UPDATE api_key SET revoked_at = coalesce(revoked_at, greatest(created_at, clock_timestamp()))
       WHERE id = :id AND (:anyCaller OR caller = :caller)
      """)
  int revoke(long id, boolean anyCaller, String caller);
}
