package io.holdfast.waiting;

import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The answers of operators' calls, with servers that fail half-way.
@ExtendWith(RealServers.class)
class OperatorAdmissionsTest {
  /// The first statement after the commit of admissions.
  private static final String REMOVAL = "SELECT number, pass_until";

  @TempDir static Path folder;

  private static FaultProxy redis;
  private static FaultProxy postgres;
  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers servers) {
    redis = FaultProxy.before(servers.redisUri());
    postgres = FaultProxy.before(servers.jdbcUrl());
    var behind =
        Map.<String, Object>of(
            "redis.uri",
            redis.insteadOf(servers.redisUri()),
            "jdbc.url",
            withTexts(postgres.insteadOf(servers.jdbcUrl())));
    service = Instances.start(servers, folder.resolve("data"), behind);
    TaskControl.stop(service.context().getBean(PeriodicTasks.class), "admissions");
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  /// A fault finds a statement by its text, which is sent each time then.
  private static String withTexts(String jdbcUrl) {
    return jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + "prepareThreshold=0";
  }

  @AfterAll
  static void end() {
    service.close();
    redis.close();
    postgres.close();
  }

  @AfterEach
  void nothing_is_lost() {
    heal();
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  void a_failure_after_the_commit_is_answered_with_what_was_done() {
    var room = Room.of(api, 10, "");
    var tickets = room.tickets(3);
    postgres.cutAt(REMOVAL);

    var answer = room.admit(Api.token(), 2);

    assertThat(postgres.isStruck()).isTrue();
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"admitted\":2,\"waiting\":1}");
    assertThat(room.state(tickets.getFirst())).as("not yet removed").isEqualTo("WAITING");
    task().work();
    assertThat(room.states(tickets)).containsExactly("ADMITTED", "ADMITTED", "WAITING");
  }

  @Test
  void a_failure_after_the_commit_is_not_definite_if_the_answer_cannot_be_read() {
    var room = Room.of(api, 10, "");
    var tickets = room.tickets(2);
    var token = Api.token();
    postgres.cutAtReplyTo(REMOVAL);

    var answer = room.admit(token, 1);

    assertThat(postgres.isStruck()).isTrue();
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(isDefinite(answer)).isFalse();
    heal();
    assertThat(room.admit(token, 1).body()).isEqualTo("{\"admitted\":1,\"waiting\":1}");
    task().work();
    assertThat(room.states(tickets)).containsExactly("ADMITTED", "WAITING");
  }

  @Test
  void a_failure_before_the_commit_is_definite() {
    var room = Room.of(api, 10, "");
    var ticket = room.ticket("u1");
    var token = Api.token();
    postgres.cutAt("INSERT INTO admission");

    var answer = room.admit(token, 1);

    assertThat(postgres.isStruck()).isTrue();
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(isDefinite(answer)).isTrue();
    assertThat(room.state(ticket)).isEqualTo("WAITING");
    assertThat(decided(() -> room.admit(token, 1)).body())
        .isEqualTo("{\"admitted\":1,\"waiting\":0}");
  }

  @Test
  void many_tickets_that_were_not_removed_do_not_stop_the_next_admission() {
    var room = Room.of(api, 100, "");
    var tickets = room.tickets(61);
    postgres.cutAt(REMOVAL);
    assertThat(room.admit(60)).isEqualTo(60);

    assertThat(room.admit(1)).isEqualTo(1);

    assertThat(room.states(tickets)).containsOnly("ADMITTED");
  }

  @Test
  void a_pass_that_was_revoked_without_redis_ends_with_a_repeated_call() {
    var room = Room.of(api, 5, "");
    var ticket = room.ticket("u1");
    room.admit(1);
    var pass = room.passOf(ticket);
    var token = Api.token();
    redis.cut();

    var answer = revoke(token, ticket);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(isDefinite(answer)).isFalse();
    heal();
    var again = decided(() -> revoke(token, ticket));
    assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
    assertThat(Api.code(room.hold(Api.token(), "u1", pass))).isEqualTo("not-admitted");
    assertThat(room.state(ticket)).isEqualTo("EXPIRED");
  }

  @Test
  void a_pass_is_revoked_while_its_pool_is_not_open(TestServers servers) {
    var room = Room.of(api, 5, "");
    var ticket = room.ticket("u1");
    room.admit(1);
    var pass = room.passOf(ticket);
    servers.forgetHolds();

    var revoked = revoke(Api.token(), ticket);

    assertThat(revoked.statusCode()).as(revoked.body()).isEqualTo(200);
    assertThat(Api.code(room.hold(Api.token(), "u1", pass))).isEqualTo("not-admitted");
  }

  @Test
  void a_refused_revocation_ends_no_pass() {
    var room = Room.of(api, 5, "");
    var ticket = room.ticket("u1");
    var other = room.ticket("u2");
    var early = Api.token();
    var used = Api.token();
    assertThat(revoke(early, ticket).statusCode()).as("not admitted yet").isEqualTo(404);
    room.admit(2);
    assertThat(revoke(used, other).statusCode()).isEqualTo(200);

    assertThat(revoke(early, ticket).statusCode()).as("replayed").isEqualTo(404);
    assertThat(Api.code(revoke(used, ticket))).isEqualTo("token-collision");

    assertThat(room.state(ticket)).isEqualTo("ADMITTED");
    assertThat(room.hold(Api.token(), "u1", room.passOf(ticket)).statusCode()).isEqualTo(201);
  }

  @Test
  void after_its_window_a_token_admits_again_and_no_answer_is_made_up() {
    var room = Room.of(api, 10, "");
    var tickets = room.tickets(3);
    var token = Api.token();
    assertThat(room.admit(token, 1).body()).isEqualTo("{\"admitted\":1,\"waiting\":2}");
    rows.change(
        "UPDATE request_result SET recorded_at = clock_timestamp() - interval '1 hour',"
            + " window_end = clock_timestamp() - interval '1 minute'"
            + " WHERE route = 'admit_tickets'");

    var later = room.admit(token, 1);

    assertThat(later.body()).isEqualTo("{\"admitted\":1,\"waiting\":1}");
    assertThat(Api.isReplay(later)).isFalse();
    assertThat(room.admit(token, 1).body()).isEqualTo(later.body());
    assertThat(room.states(tickets)).containsExactly("ADMITTED", "ADMITTED", "WAITING");
  }

  @Test
  void a_pool_that_is_created_after_a_refused_call_admits_under_the_same_token() {
    var pool = "later-" + UUID.randomUUID();
    var room = new Room(api, pool);
    var token = Api.token();
    var before = room.admit(token, 1);
    var body =
        "{\"pool\":\"%s\",\"kind\":\"STOCK\",\"capacity\":5,\"priceCents\":1,"
            + "\"policy\":{\"waitingRoom\":true}}";
    assertThat(api.post("/v1/pools", Api.token(), body.formatted(pool)).statusCode())
        .isEqualTo(201);
    room.ticket("u1");

    var after = room.admit(token, 1);

    assertThat(before.statusCode()).isEqualTo(404);
    assertThat(Api.code(before)).isEqualTo("not-known");
    assertThat(after.body()).isEqualTo("{\"admitted\":1,\"waiting\":0}");
  }

  @Test
  void one_token_serves_two_pools() {
    var token = Api.token();
    var one = Room.of(api, 5, "");
    var other = Room.of(api, 5, "");
    var ticket = one.ticket("u1");
    var elsewhere = other.ticket("u1");

    assertThat(one.admit(token, 1).body()).isEqualTo("{\"admitted\":1,\"waiting\":0}");
    assertThat(other.admit(token, 1).body()).isEqualTo("{\"admitted\":1,\"waiting\":0}");
    assertThat(revoke(token, ticket).statusCode()).isEqualTo(200);
    assertThat(revoke(token, elsewhere).statusCode()).isEqualTo(200);

    assertThat(Api.code(one.admit(token, 2))).isEqualTo("token-collision");
  }

  private static void heal() {
    redis.heal();
    postgres.heal();
    RetryingClient.calm(() -> api.get("/v1/pools"));
    Await.until(Room.PATIENCE, () -> Room.of(api, 1, "").admit(Api.token(), 1).statusCode() == 200);
  }

  private static HttpResponse<String> revoke(String token, String ticket) {
    return api.delete("/v1/queue/" + ticket + "/pass", token);
  }

  private static boolean isDefinite(HttpResponse<String> answer) {
    return Http.json(answer).get("definite").asBoolean();
  }

  private static AdmissionTask task() {
    return service.context().getBean(AdmissionTask.class);
  }
}
