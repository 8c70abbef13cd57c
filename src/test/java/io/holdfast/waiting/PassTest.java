package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.pass.Passes;
import io.holdfast.pool.PoolName;
import io.holdfast.stream.IdKeys;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What a pass allows, to whom, and for how long.
@ExtendWith(RealServers.class)
@Tag("cluster")
class PassTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @AfterEach
  void nothing_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  void a_pass_is_bound_to_its_pool_its_requester_and_its_caller() {
    var room = Room.of(api, 5, "");
    var pass = room.pass("u1");
    var elsewhere = Room.of(api, 5, "");
    var other = api.as("other", "hold");

    assertThat(Api.code(room.hold(Api.token(), "u2", pass))).isEqualTo("not-admitted");
    assertThat(Api.code(elsewhere.hold(Api.token(), "u1", pass))).isEqualTo("not-admitted");
    assertThat(Api.code(room.as(other).hold(Api.token(), "u1", pass))).isEqualTo("not-admitted");
    assertThat(Api.code(room.hold(Api.token(), "u1", Room.changed(pass))))
        .isEqualTo("not-admitted");
    assertThat(room.hold(Api.token(), "u1", pass).statusCode()).isEqualTo(201);
  }

  /// The pool and the requester in it are right, but another secret signs it.
  @Test
  void a_forged_pass_is_refused() {
    var room = Room.of(api, 5, "");
    room.pass("u1");
    var forger = new Passes(IdKeys.parse("1:another-secret-of-somebody-who-forges"));
    var forged =
        forger.issue(
            new PoolName(room.pool()),
            4_294_967_297L,
            Instant.MAX.minusSeconds(9),
            "operator",
            "u1");

    assertThat(Api.code(room.hold(Api.token(), "u1", forged))).isEqualTo("not-admitted");
  }

  @Test
  void a_pass_ends_and_a_replay_of_its_hold_still_succeeds() {
    var room = Room.of(api, 5, ",\"passSeconds\":5");
    var ticket = room.ticket("u1");
    room.admit(1);
    var shown = room.look(ticket);
    var token = Api.token();
    var placed = room.hold(token, "u1", shown.get("pass").asText());
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    Await.moment(Instant.parse(shown.get("passUntil").asText()).plusMillis(50));

    var late = room.hold(Api.token(), "u1", shown.get("pass").asText());

    assertThat(Api.code(late)).isEqualTo("not-admitted");
    assertThat(room.hold(token, "u1", shown.get("pass").asText()).body()).isEqualTo(placed.body());
    assertThat(room.state(ticket)).isEqualTo("EXPIRED");
    Await.until(Room.PATIENCE, () -> room.join(Api.token(), "u1").statusCode() == 201);
    var left = Http.json(room.leave(Api.token(), ticket));
    assertThat(left.get("state").asText()).isEqualTo("EXPIRED");
    assertThat(left.get("endedAt")).isEqualTo(shown.get("passUntil"));
    assertThat(left.get("endedAt").asText()).endsWith(".000Z");
  }

  @Test
  void a_revoked_pass_is_refused_and_its_holds_stay() {
    var room = Room.of(api, 5, "");
    var ticket = room.ticket("u1");
    room.admit(1);
    var pass = room.passOf(ticket);
    var hold = room.held("u1", pass);
    var token = Api.token();

    var revoked = api.delete("/v1/queue/" + ticket + "/pass", token);

    assertThat(revoked.statusCode()).as(revoked.body()).isEqualTo(200);
    assertThat(Api.code(room.hold(Api.token(), "u1", pass))).isEqualTo("not-admitted");
    assertThat(room.state(ticket)).isEqualTo("EXPIRED");
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("HELD");
    assertThat(Api.isReplay(api.delete("/v1/queue/" + ticket + "/pass", token))).isTrue();
  }

  @Test
  void who_leaves_after_the_admission_cannot_use_the_pass() {
    var room = Room.of(api, 5, "");
    var ticket = room.ticket("u1");
    room.admit(1);
    var pass = room.passOf(ticket);

    room.leave(Api.token(), ticket);

    assertThat(Api.code(room.hold(Api.token(), "u1", pass))).isEqualTo("not-admitted");
    assertThat(room.state(ticket)).isEqualTo("LEFT");
  }
}
