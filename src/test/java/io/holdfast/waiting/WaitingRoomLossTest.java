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

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    service = Instances.start(servers, folder.resolve("data"), Map.of());
    Instances.stopDraining(service);
    api = Api.of(service);
    records = new Records(servers, api);
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
