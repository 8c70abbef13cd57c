package io.holdfast.bench;

import io.holdfast.postgres.ConnectionPool;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import java.sql.SQLException;

/// The least that can be made durable over HTTP: one row, one COMMIT, by a connection of the
/// service's own pool, for a caller that had to show its key.
@Controller("/bench/insert")
@Secured("commit")
@ExecuteOn(TaskExecutors.BLOCKING)
final class InsertController {
  static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS bench_insert (id bigint GENERATED ALWAYS AS IDENTITY, note bytea);
      GRANT INSERT ON bench_insert TO holdfast_service;
      """;

  private final ConnectionPool postgres;

  InsertController(ConnectionPool postgres) {
    this.postgres = postgres;
  }

  @Post
  HttpResponse<?> insert(@Body byte[] body) throws SQLException {
    try (var connection = postgres.connection()) {
      connection.setAutoCommit(false);
      try (var insert = connection.prepareStatement("INSERT INTO bench_insert (note) VALUES (?)")) {
        insert.setBytes(1, body);
        insert.executeUpdate();
      }
      connection.commit();
    }
    return HttpResponse.created("{}");
  }
}
