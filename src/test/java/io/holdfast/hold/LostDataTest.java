package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Redis loses all data. Drained data are restored, undrained data are lost, and the loss is
/// recorded. Journals are drained only when a test requests it.
@ExtendWith(RealServers.class)
@Tag("cluster")
class LostDataTest {
  @TempDir static Path folder;

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    service = Instances.start(servers, folder.resolve("data"), Map.of());
    Instances.stopDraining(service);
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void end() {
    service.close();
  }

  @Test
  @Requirement("IR-ST-01")
  void a_drained_hold_keeps_its_id_fence_and_items() {
    var pool = api.pool(10);
    var placed = Http.json(api.place(pool, Api.token(), "anna", "A-1", "A-2"));
    var hold = new Hold(placed.get("holdId").asText(), placed.get("fence").asLong());
    drain(pool);
    servers.redis(RedisCommands::flushdb);

    var found = Http.json(decided(() -> api.read(hold.id())));

    for (var field : new String[] {"holdId", "fence", "items", "placedAt", "expiresAt", "state"}) {
      assertThat(found.get(field)).as(field).isEqualTo(placed.get(field));
    }
    assertThat(Instant.parse(found.get("leaseUntil").asText()))
        .isAfterOrEqualTo(Instant.parse(placed.get("leaseUntil").asText()))
        .isBeforeOrEqualTo(Instant.parse(placed.get("expiresAt").asText()));
    assertThat(api.place(pool, Api.token(), "berta", "A-2").statusCode()).isEqualTo(409);
    assertThat(api.heartbeat(hold.id(), "anna", hold.fence()).statusCode()).isEqualTo(200);
    assertThat(api.release(hold.id(), Api.token(), "anna").statusCode()).isEqualTo(200);
    assertThat(api.hold(pool, "berta", "A-2").fence()).isGreaterThan(hold.fence());
  }

  @Test
  @Requirement("IR-ST-01")
  void drained_tokens_repeat_their_answer_until_their_original_window_ends() {
    var pool = api.pool(10);
    var placeToken = Api.token();
    var placed = api.place(pool, placeToken, "anna", "A-1");
    var takenToken = Api.token();
    var taken = api.place(pool, takenToken, "berta", "A-1");
    var invalidToken = Api.token();
    var invalid = api.place(pool, invalidToken, "berta", "Z-1");
    var releaseToken = Api.token();
    var released = api.release(Hold.of(placed).id(), releaseToken, "anna");
    drain(pool);
    var lateToken = Api.token();
    var late = api.release(Hold.of(placed).id(), lateToken, "anna");
    assertThat(late.statusCode()).as(late.body()).isEqualTo(409);
    drain(pool);
    var tokens = new RedisTokens(servers, pool);
    var recordedAt = tokens.recordedAt(placeToken);
    servers.redis(RedisCommands::flushdb);

    var again = decided(() -> api.place(pool, placeToken, "anna", "A-1"));

    assertThat(again.body()).isEqualTo(placed.body());
    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
    assertThat(api.place(pool, takenToken, "berta", "A-1").body()).isEqualTo(taken.body());
    assertThat(api.place(pool, invalidToken, "berta", "Z-1").body()).isEqualTo(invalid.body());
    var id = Hold.of(placed).id();
    assertThat(api.release(id, releaseToken, "anna").body()).isEqualTo(released.body());
    assertThat(api.release(id, lateToken, "anna").body()).isEqualTo(late.body());
    assertThat(api.place(pool, placeToken, "anna", "A-9").statusCode()).isEqualTo(422);
    assertThat(tokens.recordedAt(placeToken)).isEqualTo(recordedAt);
  }

  /// The requests of an hour: four of them in their window, three before it. Redis loses its data,
  /// Postgres all of its connections, and all seven are sent again.
  @Test
  @Requirement("IR-EX-4")
  void replaying_an_hour_after_a_failover_repeats_answers_and_holds_no_seat_twice() {
    var pool = api.pool(6, "{\"maxHoldsPerRequester\":50,\"idempotencyWindowSeconds\":600}");
    var old = List.of("old-held", "old-free", "old-sold");
    var early = new ArrayList<HttpResponse<String>>();
    for (var i = 0; i < old.size(); i++) {
      early.add(api.place(pool, old.get(i), "anna", "A-" + (i + 1)));
    }
    api.release(Hold.of(early.get(1)).id(), Api.token(), "anna");
    var paid = Api.token();
    var sale = api.confirm(Hold.of(early.get(2)), paid, "anna", "order-1");
    var held = api.place(pool, "new-held", "berta", "A-4");
    var refused = api.place(pool, "new-refused", "berta", "A-1");
    var gone = api.place(pool, "new-released", "berta", "A-5");
    api.release(Hold.of(gone).id(), Api.token(), "berta");
    drain(pool);
    rows.change(
        "UPDATE token_result SET recorded_at = recorded_at - interval '1 hour', window_until ="
            + " window_until - interval '1 hour' WHERE pool = ? AND encode(token, 'escape') LIKE"
            + " 'old-%'",
        pool);
    assertThat(losePostgresConnections()).as("connections of the service").isPositive();
    servers.redis(RedisCommands::flushdb);

    var heldAgain = again(pool, "new-held", "berta", "A-4");
    assertThat(heldAgain.body()).isEqualTo(held.body());
    assertThat(again(pool, "new-refused", "berta", "A-1").body()).isEqualTo(refused.body());
    assertThat(again(pool, "new-released", "berta", "A-5").body()).isEqualTo(gone.body());
    var soldAgain = decided(() -> api.confirm(Hold.of(early.get(2)), paid, "anna", "order-1"));
    assertThat(soldAgain.body()).isEqualTo(sale.body());
    var stillHeld = again(pool, "old-held", "anna", "A-1");
    var freeAgain = again(pool, "old-free", "anna", "A-2");
    var soldSince = again(pool, "old-sold", "anna", "A-3");
    var others = again(pool, "of-carl", "carl", "A-1");

    assertThat(stillHeld.statusCode()).as(stillHeld.body()).isEqualTo(200);
    assertThat(Hold.of(stillHeld)).isEqualTo(Hold.of(early.getFirst()));
    assertThat(Api.code(others)).isEqualTo("resource-unavailable");
    assertThat(Api.code(soldSince)).isEqualTo("resource-unavailable");
    assertThat(freeAgain.statusCode()).as(freeAgain.body()).isEqualTo(201);
    assertThat(Hold.of(freeAgain).fence()).isGreaterThan(Hold.of(held).fence());
    drain(pool);
    assertThat(
            rows.texts(
                "SELECT unnest(items) FROM hold WHERE pool = ? AND state IN ('HELD', 'CONFIRMED')"
                    + " ORDER BY 1",
                pool))
        .containsExactly("A-1", "A-2", "A-3", "A-4");
  }

  private static HttpResponse<String> again(
      String pool, String token, String requester, String item) {
    return decided(() -> api.place(pool, token, requester, item));
  }

  /// As a failover of Postgres does. Returns their number.
  private static int losePostgresConnections() {
    return rows.texts(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()
               AND backend_type = 'client backend'
            """)
        .size();
  }

  @Test
  @Requirement("IR-ST-01")
  void undrained_holds_are_lost_and_the_gap_is_on_record() {
    var pool = api.pool(10);
    var drained = api.hold(pool, "anna", "A-1");
    drain(pool);
    var cursor =
        rows.texts(
            "SELECT stream_ms || '-' || stream_seq FROM journal_cursor WHERE pool = ?", pool);
    var token = Api.token();
    var gone = Hold.of(api.place(pool, token, "berta", "A-2"));
    servers.redis(RedisCommands::flushdb);

    assertThat(decided(() -> api.read(gone.id())).statusCode()).isEqualTo(404);
    assertThat(api.heartbeat(gone.id(), "berta", gone.fence()).statusCode()).isEqualTo(404);
    assertThat(api.release(gone.id(), Api.token(), "berta").statusCode()).isEqualTo(404);

    assertThat(
            rows.texts(
                """
                SELECT concat_ws(' ', cause, stream_ms || '-' || stream_seq, restored, lost)
                  FROM fence_epoch WHERE pool = ? AND epoch > ?
                """,
                pool,
                gone.fence() >> 32))
        .containsExactly("LOST " + cursor.getFirst() + " 1 0");
    var anew = Hold.of(api.place(pool, token, "berta", "A-2"));
    assertThat(anew.fence()).isGreaterThan(gone.fence());
    assertThat(api.heartbeat(drained.id(), "anna", drained.fence()).statusCode()).isEqualTo(200);
  }

  @Test
  void a_hold_whose_end_was_drained_is_not_restored() {
    var pool = api.pool(10);
    var released = api.hold(pool, "anna", "A-1");
    var forced = api.hold(pool, "anna", "A-2");
    api.release(released.id(), Api.token(), "anna");
    api.expire(forced.id(), Api.token(), true);
    drain(pool);
    servers.redis(RedisCommands::flushdb);

    assertThat(decided(() -> api.read(released.id())).body()).contains("\"state\":\"RELEASED\"");
    assertThat(api.read(forced.id()).body()).contains("\"endReason\":\"FORCED\"");
    assertThat(api.heartbeat(released.id(), "anna", released.fence()).statusCode()).isEqualTo(409);
    assertThat(api.hold(pool, "berta", "A-1").fence()).isGreaterThan(forced.fence());
  }

  @Test
  @Requirement("IR-EC-11")
  void a_token_that_was_lost_while_its_hold_was_not_has_no_second_effect() {
    var pool = api.pool(10);
    var placeToken = Api.token();
    var hold = Hold.of(api.place(pool, placeToken, "anna", "A-1"));
    loseToken(pool, placeToken);

    var again = api.place(pool, placeToken, "anna", "A-1");

    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(Hold.of(again)).isEqualTo(hold);
    var releaseToken = Api.token();
    assertThat(api.release(hold.id(), releaseToken, "anna").statusCode()).isEqualTo(200);
    var next = api.hold(pool, "berta", "A-1");
    loseToken(pool, releaseToken);
    assertThat(api.release(hold.id(), releaseToken, "anna").statusCode()).isEqualTo(409);
    assertThat(api.heartbeat(next.id(), "berta", next.fence()).statusCode()).isEqualTo(200);
  }

  private static void loseToken(String pool, String token) {
    assertThat(new RedisTokens(servers, pool).lose(token)).isOne();
  }

  /// The end was known to Redis alone, so the hold is held as far as anybody knows.
  @Test
  void a_hold_whose_end_was_lost_is_restored_and_ends_late() {
    var pool = api.pool(10);
    var hold = api.hold(pool, "anna", "A-1");
    drain(pool);
    var token = Api.token();
    api.release(hold.id(), token, "anna");
    servers.redis(RedisCommands::flushdb);

    assertThat(decided(() -> api.read(hold.id())).body()).contains("\"state\":\"HELD\"");
    assertThat(api.place(pool, Api.token(), "berta", "A-1").statusCode()).isEqualTo(409);
    assertThat(api.release(hold.id(), token, "anna").statusCode()).isEqualTo(200);
    assertThat(api.hold(pool, "berta", "A-1").fence()).isGreaterThan(hold.fence());
  }

  /// Otherwise its lines would be taken for drained, and forgotten.
  @Test
  @Requirement("IR-ST-01")
  void a_server_whose_clock_is_behind_that_of_its_predecessor_numbers_its_lines_behind_it() {
    var pool = api.pool(10);
    var before = api.hold(pool, "anna", "A-1");
    drain(pool);
    rows.change("UPDATE journal_cursor SET stream_ms = stream_ms + 3600000 WHERE pool = ?", pool);
    servers.redis(RedisCommands::flushdb);

    var token = Api.token();
    var after = Hold.of(decided(() -> api.place(pool, token, "anna", "A-2")));
    drain(pool);

    assertThat(rows.stateOf(after)).isEqualTo("HELD");
    assertThat(api.heartbeat(before.id(), "anna", before.fence()).statusCode()).isEqualTo(200);
  }

  /// A page of holds is read from Postgres, after all that Redis has done was brought there.
  private static void drain(String pool) {
    assertThat(api.get("/v1/pools/" + pool + "/holds").statusCode()).isEqualTo(200);
  }
}
