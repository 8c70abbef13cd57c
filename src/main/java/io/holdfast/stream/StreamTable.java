package io.holdfast.stream;

import io.holdfast.postgres.PostgresRepository;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import java.util.Optional;

/// Reads streams and their events.
@PostgresRepository
interface StreamTable extends GenericRepository<StreamRow, String> {

  /// @param id of the stream under any key that was configured when it was created
  @Query(
      """
      SELECT stream.stream_id, stream.entity_type, stream.version, stream.created_at
        FROM stream_alias JOIN stream ON stream.stream_id = stream_alias.stream_id
       WHERE stream_alias.alias = :id AND stream.caller = :caller
      """)
  Optional<StreamRow> find(String id, String caller);

  /// @param until the version of the stream, so that stream and events belong together
  @Query(
      """
      SELECT version, type, data, recorded_at FROM stream_event
       WHERE stream_id = :streamId AND version > :after AND version <= :until
       ORDER BY version
       LIMIT :limit
      """)
  List<StreamEventRow> events(String streamId, long after, long until, int limit);
}
