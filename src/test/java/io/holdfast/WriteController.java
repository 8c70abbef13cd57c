package io.holdfast;

import io.holdfast.postgres.ConnectionPool;
import io.holdfast.redis.RedisConnections;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Routes for tests only: one that writes to both servers before it answers, and one that takes its
/// time.
@Controller("/test")
@Secured(SecurityRule.IS_ANONYMOUS)
@ExecuteOn(TaskExecutors.BLOCKING)
public class WriteController {
  public static final CountDownLatch SLOW_HAS_BEGUN = new CountDownLatch(1);
  public static final CountDownLatch SLOW_MAY_END = new CountDownLatch(1);

  private final ConnectionPool postgres;
  private final RedisConnections redis;

  WriteController(ConnectionPool postgres, RedisConnections redis) {
    this.postgres = postgres;
    this.redis = redis;
  }

  /// Answers only what Postgres has committed.
  @Post("/rows/{id}")
  long write(@PathVariable long id) throws SQLException {
    try (var connection = postgres.connection();
        var statement = connection.prepareStatement("INSERT INTO pool VALUES (?, 'SEATS', ?)")) {
      statement.setString(1, "row-" + id);
      statement.setLong(2, id);
      statement.executeUpdate();
    }
    redis.commands().set("row-" + id, "written");
    return id;
  }

  @Get("/slow")
  String slow() throws InterruptedException {
    SLOW_HAS_BEGUN.countDown();
    return SLOW_MAY_END.await(30, TimeUnit.SECONDS) ? "done" : "gave up";
  }
}
