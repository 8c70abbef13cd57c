package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Http;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The process of Postgres that sells is killed with signal 9 between two writes. The service has
/// its own Postgres, which recovers.
@Tag("slow")
class KilledPostgresTest {
  @TempDir static Path folder;

  private static HoldfastProcess service;
  private static String jdbc;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void start() {
    var more = Map.of("HOLDFAST_RATE_LIMIT", "off", "HOLDFAST_OPERATOR_KEY", TestServers.KEY);
    service = HoldfastProcess.start(folder.resolve("data"), more);
    var servers = service.awaitReady();
    jdbc = servers.get("jdbc").asText();
    api = new Api(URI.create(servers.get("http").asText()), TestServers.KEY);
    rows = new Rows(KilledPostgresTest::connection);
  }

  @AfterAll
  static void end() {
    service.close();
    HoldfastProcess.killServersOf(folder);
  }

  /// A trigger notes that the commitment is written, and another one stops before the entry of the
  /// token. Both use locks, which others can see.
  @Test
  @Requirement({"IR-EC-02", "IR-EC-03"})
  void a_kill_between_the_commitment_and_the_entry_of_the_token_leaves_neither() throws Exception {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    onInsert("commitment", "true", "pg_try_advisory_xact_lock(4711, 1)");
    onInsert("token_result", "NEW.action = 'confirm'", "pg_advisory_xact_lock(4711, 2)");
    CompletableFuture<Integer> asked;
    try (var stop = connection()) {
      stop.createStatement().execute("SELECT pg_advisory_lock(4711, 2)");
      asked =
          CompletableFuture.supplyAsync(
              () -> api.confirm(hold, token, "ann", "order-1").statusCode());
      var stopped = new AtomicReference<>("");
      Await.until(RetryingClient.PATIENCE, () -> !stopped.updateAndGet(_ -> stopped()).isEmpty());

      new ProcessBuilder("kill", "-KILL", stopped.get()).start().waitFor();
    }

    assertThat(asked.join()).isEqualTo(503);
    Await.until(RetryingClient.PATIENCE, KilledPostgresTest::isBack);
    assertThat(counts(pool)).isEqualTo("0 0 0");
    var known = RetryingClient.decided(() -> operation(token, pool));
    assertThat(Http.json(known).path("result").isObject()).as(known.body()).isFalse();
    var again = RetryingClient.decided(() -> api.confirm(hold, token, "ann", "order-1"));
    assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
    assertThat(Api.isReplay(again)).isFalse();
    assertThat(counts(pool)).isEqualTo("1 1 1");
  }

  private static HttpResponse<String> operation(String token, String pool) {
    return api.get("/v1/operations/" + token + "?pool=" + pool);
  }

  private static void onInsert(String table, String when, String lock) {
    rows.change(
        """
        CREATE FUNCTION %1$s_is_written() RETURNS trigger LANGUAGE plpgsql AS
        $$
        BEGIN
            PERFORM %2$s;
            RETURN NEW;
        END
        $$
        """
            .formatted(table, lock));
    rows.change(
        """
        CREATE TRIGGER %1$s_is_written BEFORE INSERT ON %1$s FOR EACH ROW WHEN (%2$s)
        EXECUTE FUNCTION %1$s_is_written()
        """
            .formatted(table, when));
  }

  /// The process that has written the commitment and waits to write the entry.
  private static String stopped() {
    var found =
        rows.texts(
            """
            SELECT wrote.pid FROM pg_locks wrote JOIN pg_locks waits USING (pid)
             WHERE wrote.classid = 4711 AND wrote.objid = 1 AND wrote.granted
               AND waits.classid = 4711 AND waits.objid = 2 AND NOT waits.granted
            """);
    return found.isEmpty() ? "" : found.getFirst();
  }

  /// Commitments, entries of confirms and consumed keys.
  private static String counts(String pool) {
    return rows.texts(
            """
            SELECT concat_ws(' ',
                     (SELECT count(*) FROM commitment WHERE pool = given),
                     (SELECT count(*) FROM token_result WHERE pool = given AND action = 'confirm'),
                     (SELECT count(*) FROM consumed_request WHERE pool = given))
              FROM (SELECT ?::text AS given) AS of
            """,
            pool)
        .getFirst();
  }

  private static boolean isBack() {
    try (var connection = DriverManager.getConnection(jdbc)) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private static Connection connection() {
    try {
      return DriverManager.getConnection(jdbc);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
