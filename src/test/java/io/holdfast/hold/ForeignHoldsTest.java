package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The holds of another caller are not known, and a key is limited to its scopes.
@ExtendWith(RealServers.class)
class ForeignHoldsTest {
  private static Api api;
  private static Api one;
  private static Api other;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
    one = api.as("one", "hold");
    other = api.as("other", "hold");
  }

  @Test
  void the_hold_of_another_caller_is_not_known_live_or_ended() {
    var pool = api.pool(2);
    var held = one.hold(pool, "ann", "A-1");
    var ended = one.hold(pool, "ann", "A-2");
    one.release(ended.id(), Api.token(), "ann");
    one.get("/v1/pools/" + pool + "/holds"); // brings the end to Postgres

    for (var hold : new Api.Hold[] {held, ended}) {
      assertNotKnown(other.read(hold.id()));
      assertNotKnown(other.heartbeat(hold.id(), "ann", hold.fence()));
      assertNotKnown(other.release(hold.id(), Api.token(), "ann"));
    }
    assertThat(Http.json(one.read(held.id())).get("state").asText()).isEqualTo("HELD");
  }

  @Test
  void a_list_shows_the_callers_own_holds_only() {
    var pool = api.pool(2);
    var ours = one.hold(pool, "ann", "A-1");
    var theirs = other.hold(pool, "ann", "A-2");

    var list = one.get("/v1/pools/" + pool + "/holds").body();

    assertThat(list).contains(ours.id()).doesNotContain(theirs.id());
    assertThat(api.get("/v1/pools/" + pool + "/holds").body()).isEqualTo("{\"holds\":[]}");
  }

  @Test
  void a_guessed_id_is_not_known() {
    var pool = api.pool(1);
    var hold = one.hold(pool, "ann", "A-1");
    var guess = hold.id().substring(0, hold.id().length() - 16) + "0000000000000000";

    assertNotKnown(one.read(guess));
    assertNotKnown(one.heartbeat(guess, "ann", hold.fence()));
    assertNotKnown(one.release(guess, Api.token(), "ann"));
    assertNotKnown(api.expire(guess, Api.token(), true));
  }

  @Test
  void a_key_without_the_scope_is_forbidden() {
    var pool = api.pool(1);
    var hold = one.hold(pool, "ann", "A-1");
    var auditor = api.as("auditor", "audit");

    assertForbidden(auditor.place(pool, Api.token(), "ann", "A-1"));
    assertForbidden(auditor.read(hold.id()));
    assertForbidden(auditor.get("/v1/pools/" + pool + "/holds"));
    assertForbidden(auditor.heartbeat(hold.id(), "ann", hold.fence()));
    assertForbidden(auditor.release(hold.id(), Api.token(), "ann"));
    assertForbidden(one.expire(hold.id(), Api.token(), true));
    assertForbidden(one.post("/v1/pools", Api.token(), "{}"));
    assertThat(auditor.get("/v1/pools/" + pool).statusCode()).isEqualTo(200);
  }

  @Test
  void an_operator_may_expire_a_hold_of_another_caller() {
    var pool = api.pool(1);
    var hold = one.hold(pool, "ann", "A-1");

    assertNotKnown(api.read(hold.id()));
    assertThat(api.expire(hold.id(), Api.token(), true).statusCode()).isEqualTo(200);
    assertThat(Http.json(one.read(hold.id())).get("endReason").asText()).isEqualTo("FORCED");
  }

  private static void assertNotKnown(HttpResponse<String> answer) {
    assertThat(answer.statusCode() + Api.code(answer)).isEqualTo("404not-known");
  }

  private static void assertForbidden(HttpResponse<String> answer) {
    assertThat(answer.statusCode() + Api.code(answer)).isEqualTo("403forbidden");
  }
}
