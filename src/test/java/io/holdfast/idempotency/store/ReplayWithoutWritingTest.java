package io.holdfast.idempotency.store;

import static io.holdfast.idempotency.store.Effects.MINUTE;
import static io.holdfast.idempotency.store.Effects.aToken;
import static io.holdfast.idempotency.store.Effects.call;
import static io.holdfast.idempotency.store.Effects.results;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A Postgres that takes no writes still repeats what it has stored.
@ExtendWith(RealServers.class)
class ReplayWithoutWritingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  @Requirement("AU-8")
  void a_stored_answer_is_repeated_at_once_and_counted_when_postgres_takes_writes_again(
      TestServers servers, @TempDir Path folder) throws SQLException {
    var token = aToken();
    var call = call(token, "a", MINUTE);
    try (var service = Effects.start(servers, servers.jdbcUrl(), folder)) {
      results(service).once(call, _ -> new Answer(201, new byte[] {1}));

      setReadOnly(servers, service, true);
      assertThatThrownBy(() -> results(service).once(call(aToken(), "a", MINUTE), _ -> null))
          .isInstanceOf(PostgresUnavailable.class)
          .hasMessageContaining("read-only");
      var again = results(service).once(call, _ -> new Answer(200, new byte[0]));
      setReadOnly(servers, service, false);

      assertThat(again).isInstanceOf(Replayed.class);
      assertThat(((Replayed) again).answer().body()).containsExactly(1);
      var found = service.context().getBean(StoredRequests.class);
      Await.until(PATIENCE, () -> found.find("shop", null, token).getFirst().attempts() == 2);
    }
  }

  /// Of every connection that is opened from now on; the present ones are ended.
  private static void setReadOnly(TestServers servers, Service service, boolean isReadOnly)
      throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      statement.execute("SET default_transaction_read_only = off");
      statement.execute(
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = "
              + (isReadOnly ? "on" : "off")
              + "', current_database()); END $$");
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    }
    Await.until(PATIENCE, () -> isReadOnly(service).equals(Optional.of(isReadOnly)));
  }

  /// Empty on a connection that was ended.
  private static Optional<Boolean> isReadOnly(Service service) {
    try (var connection = service.context().getBean(ConnectionPool.class).connection();
        var statement = connection.createStatement();
        var row = statement.executeQuery("SHOW transaction_read_only")) {
      row.next();
      return Optional.of(row.getString(1).equals("on"));
    } catch (SQLException e) {
      return Optional.empty();
    }
  }
}
