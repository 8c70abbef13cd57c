package io.holdfast.waiting;

import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Redis loses all data. Journals are drained only when a test requests it.
@ExtendWith(RealServers.class)
@Tag("cluster")
class WaitingRoomLossTest {
  @TempDir static Path folder;

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Records records;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    service = Instances.start(servers, folder.resolve("data"), Map.of());
    Instances.stopDraining(service);
    api = Api.of(service);
    records = new Records(servers, api);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void end() {
    service.close();
  }

  @AfterEach
  void nothing_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  @Requirement("BR-Q-6")
  void drained_tickets_keep_their_order_and_undrained_ones_are_issued_again_behind() {
    var room = Room.of(api, 10, "");
    var drained = room.tickets(3);
    records.words(room.pool());
    var undrained = room.ticket("late");
    servers.redis(RedisCommands::flushdb);

    var joined = decided(() -> room.join(Api.token(), "new"));

    assertThat(Http.json(joined).get("position").asLong()).isEqualTo(4);
    assertThat(drained).extracting(room::position).containsExactly(1L, 2L, 3L);
    assertThat(room.look(drained.getFirst()).get("requeued").asBoolean()).isFalse();
    var again = room.look(undrained);
    assertThat(again.get("requeued").asBoolean()).isTrue();
    assertThat(again.get("state").asText()).isEqualTo("WAITING");
    assertThat(again.get("position").asLong()).isEqualTo(5);
    assertThat(room.position(undrained)).as("only once").isEqualTo(5);
    assertThat(room.admit(10)).isEqualTo(5);
    assertThat(room.state(undrained)).isEqualTo("ADMITTED");
  }

  @Test
  void a_lost_ticket_is_not_issued_again_to_a_requester_who_has_joined_since() {
    var room = Room.of(api, 10, "");
    var lost = room.ticket("u1");
    servers.redis(RedisCommands::flushdb);
    var ticket = Http.json(decided(() -> room.join(Api.token(), "u1"))).get("ticket").asText();

    assertThat(room.state(lost)).isEqualTo("EXPIRED");
    assertThat(room.state(ticket)).isEqualTo("WAITING");
    assertThat(room.admit(10)).isEqualTo(1);
  }

  @Test
  void passes_survive_and_so_does_what_limits_admissions() {
    var room = Room.of(api, 4, "");
    var tickets = room.tickets(6);
    room.admit(4);
    var pass = room.passOf(tickets.getFirst());
    room.held("u1", pass);
    var revoked = room.passOf(tickets.get(1));
    api.delete("/v1/queue/" + tickets.get(1) + "/pass", Api.token());
    records.words(room.pool());
    servers.redis(RedisCommands::flushdb);

    decided(() -> room.show(tickets.getFirst()));

    assertThat(room.passOf(tickets.getFirst())).isEqualTo(pass);
    assertThat(Api.code(room.hold(Api.token(), "u2", revoked))).isEqualTo("not-admitted");
    assertThat(room.state(tickets.get(1))).isEqualTo("EXPIRED");
    assertThat(room.admit(10)).as("three are free, and two requesters choose").isEqualTo(1);
    assertThat(room.hold(Api.token(), "u1", pass).statusCode()).isEqualTo(201);
  }

  /// The loss gives the ticket a new place, and a raffle gives it another one after that.
  @Test
  void a_requeued_ticket_keeps_the_place_of_a_raffle_when_it_is_seen_again() {
    var room = Room.of(api, 4, "");
    var ticket = room.ticket("u1");
    servers.redis(RedisCommands::flushdb);
    assertThat(Http.json(decided(() -> room.show(ticket))).get("requeued").asBoolean()).isTrue();
    records.words(room.pool());
    rows.change("UPDATE ticket SET place = 7 WHERE pool = '%s'".formatted(room.pool()));

    room.join(Api.token(), "u1");
    records.words(room.pool());

    assertThat(rows.number("SELECT place FROM ticket WHERE pool = ?", room.pool())).isEqualTo(7);
  }

  /// Its end was not drained. So it is restored, and ends again after a later one was admitted.
  @Test
  void a_ticket_whose_end_was_lost_was_not_passed_over() {
    var room = Room.of(api, 4, "");
    var first = room.ticket("u1");
    var second = room.ticket("u2");
    records.words(room.pool());
    room.leave(Api.token(), first);
    room.admit(1);
    assertThat(room.state(second)).isEqualTo("ADMITTED");
    servers.redis(RedisCommands::flushdb);
    decided(() -> room.show(first));
    room.leave(Api.token(), first);
    records.words(room.pool());

    rows.change(
        """
        BEGIN;
        SET LOCAL session_replication_role = replica;
        UPDATE ticket SET joined_at = joined_at - interval '1 h' WHERE pool = '%1$s';
        UPDATE admission SET admitted_at = admitted_at - interval '1 minute' WHERE pool = '%1$s';
        COMMIT
        """
            .formatted(room.pool()));
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  void an_admission_outlives_a_ticket_that_was_lost() {
    var room = Room.of(api, 4, "");
    var ticket = room.ticket("u1");
    room.admit(1);
    servers.redis(RedisCommands::flushdb);

    assertThat(Http.json(decided(() -> room.show(ticket))).get("state").asText())
        .isEqualTo("ADMITTED");

    assertThat(Http.json(room.join(Api.token(), "u1")).get("ticket").asText()).isEqualTo(ticket);
    assertThat(room.hold(Api.token(), "u1", room.passOf(ticket)).statusCode()).isEqualTo(201);
  }
}
