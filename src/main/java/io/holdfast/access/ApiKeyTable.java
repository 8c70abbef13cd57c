package io.holdfast.access;

import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;

/// The API keys of callers. Writes belong into a transaction.
@PostgresRepository
interface ApiKeyTable extends GenericRepository<ApiKeyRow, Long> {

  List<ApiKeyRow> findByRevokedAtIsNull();

  /// A checksum that changes with every change of the table.
  @Query(
      "SELECT coalesce(md5(string_agg(CAST(k AS text), chr(10) ORDER BY id)), '') FROM api_key k")
  String checksum();

  /// Returns the row with its id.
  ApiKeyRow save(ApiKeyRow row);

  /// Returns 0 if there is no such key. The time of an earlier revocation is kept.
  @Query(
      """
      UPDATE api_key SET revoked_at = coalesce(revoked_at, greatest(created_at, clock_timestamp()))
       WHERE id = :id
      """)
  int revoke(long id);
}
