package io.holdfast.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A value is reserved before the entity exists that will own it.
@ExtendWith(RealServers.class)
@Tag("cluster")
class ReservationTest {
  private static Api api;
  private static Reservations reservations;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    reservations = new Reservations(api);
    rows = Rows.of(servers);
  }

  @Test
  @Requirement("RV-AC-1")
  void a_value_is_reserved_for_five_minutes() {
    var type = Reservations.type();

    var answer = reservations.reserve(type, "alice@example.com");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    var body = Http.json(answer);
    assertThat(body.get("key").asText()).isEqualTo(type + ":alice@example.com");
    assertThat(body.get("status").asText()).isEqualTo("reserved");
    var left = Duration.between(Instant.now(), Api.time(answer, "expiresAt"));
    assertThat(left).isBetween(Duration.ofSeconds(270), Duration.ofSeconds(301));
    assertThat(answer.headers().firstValue("Location"))
        .contains("/v1/reservations/" + Reservations.id(answer));
  }

  @Test
  void a_confirm_that_lost_is_told_so_also_before_redis_has_learnt_of_the_sale(
      TestServers servers) {
    var type = Reservations.type();
    var id = reservations.reserved(type, "alice");
    var holds = "{p:" + type + "}:holds";
    var live = servers.redis(redis -> redis.hgetall(holds));
    assertThat(reservations.confirm(id, "user-1").statusCode()).isEqualTo(200);
    servers.redis(redis -> redis.hset(holds, live));

    var late = reservations.confirm(id, "user-2");

    assertThat(late.statusCode()).as(late.body()).isEqualTo(409);
    assertThat(Reservations.reason(late)).isEqualTo("RESERVATION_ALREADY_CONFIRMED");
  }

  @Test
  @Requirement({"RV-AC-2", "RV-INV-1", "RV-DL-1", "RV-EX-2"})
  void of_fifty_concurrent_requests_one_gets_the_value() {
    var type = Reservations.type();
    reservations.reserved(type, "first"); // the type exists
    var other = api.as("other", "hold");

    var answers =
        Together.run(
            50, i -> (i % 2 == 0 ? reservations : new Reservations(other)).reserve(type, "alice"));

    assertThat(answers.stream().filter(answer -> answer.statusCode() == 201)).hasSize(1);
    assertThat(answers.stream().filter(answer -> answer.statusCode() == 409)).hasSize(49);
    var winner = answers.stream().filter(a -> a.statusCode() == 201).findFirst().orElseThrow();
    var winners = answers.indexOf(winner) % 2;
    IntStream.range(0, 50)
        .filter(i -> answers.get(i).statusCode() == 409)
        .forEach(
            i -> {
              var refusal = Http.json(answers.get(i));
              assertThat(refusal.get("code").asText()).isEqualTo("already-reserved");
              assertThat(refusal.get("reason").asText()).isEqualTo("ALREADY_RESERVED");
              assertThat(refusal.path("existingReservationId").asText(""))
                  .as("only the owner learns of the reservation")
                  .isEqualTo(i % 2 == winners ? Reservations.id(winner) : "");
            });
  }

  @Test
  @Requirement({"RV-AC-3", "RV-INV-2", "RV-EX-3", "RV-EX-4"})
  void after_its_time_a_reservation_is_expired_and_the_value_is_free() {
    var type = Reservations.type();
    var answer = reservations.reserve(Api.token(), type, "alice", "1000");
    var id = Reservations.id(answer);

    Await.until(
        RetryingClient.PATIENCE,
        () ->
            rows.texts("SELECT state FROM hold WHERE hold_id = ?", id).equals(List.of("EXPIRED")));

    assertThat(Reservations.status(reservations.read(id))).isEqualTo("expired");
    assertThat(reservations.find(type + ":alice").statusCode()).isEqualTo(404);
    assertThat(reservations.reserve(type, "alice").statusCode()).isEqualTo(201);
    assertThat(Reservations.reason(reservations.confirm(id, "user-1")))
        .isEqualTo("RESERVATION_ALREADY_EXPIRED");
    assertThat(Reservations.reason(reservations.release(id)))
        .isEqualTo("RESERVATION_ALREADY_EXPIRED");
  }

  @Test
  @Requirement({"RV-AC-4", "RV-INV-3", "RV-EX-3", "RV-EX-4"})
  void a_confirmed_reservation_belongs_to_its_entity_for_good() {
    var type = Reservations.type();
    var id = reservations.reserved(type, "alice");

    var confirmed = reservations.confirm(id, "user-1");

    assertThat(confirmed.statusCode()).as(confirmed.body()).isEqualTo(200);
    for (var shown :
        List.of(confirmed, reservations.read(id), reservations.find(type + ":alice"))) {
      var body = Http.json(shown);
      assertThat(body.get("status").asText()).isEqualTo("confirmed");
      assertThat(body.get("entityId").asText()).isEqualTo("user-1");
      assertThat(body.get("expiresAt").isNull()).isTrue();
    }
    for (var entity : List.of("user-1", "user-2")) {
      var again = reservations.confirm(id, entity);
      assertThat(again.statusCode()).isEqualTo(409);
      assertThat(Reservations.reason(again)).isEqualTo("RESERVATION_ALREADY_CONFIRMED");
    }
    assertThat(Reservations.reason(reservations.release(id)))
        .isEqualTo("RESERVATION_ALREADY_CONFIRMED");
    assertThat(reservations.reserve(type, "alice").statusCode()).isEqualTo(409);
  }

  @Test
  @Requirement("RV-INV-3")
  void of_many_concurrent_confirms_one_links_its_entity() {
    var id = reservations.reserved(Reservations.type(), "alice");

    var answers = Together.run(8, i -> reservations.confirm(id, "user-" + i));

    var winners = answers.stream().filter(answer -> answer.statusCode() == 200).toList();
    assertThat(winners).hasSize(1);
    assertThat(answers.stream().filter(answer -> answer.statusCode() != 200))
        .extracting(Reservations::reason)
        .containsOnly("RESERVATION_ALREADY_CONFIRMED");
    assertThat(Http.json(reservations.read(id)).get("entityId"))
        .isEqualTo(Http.json(winners.getFirst()).get("entityId"));
  }

  @Test
  @Requirement({"RV-AC-5", "RV-INV-4", "RV-EX-3", "RV-EX-4"})
  void a_released_value_is_free_at_once() {
    var type = Reservations.type();
    var id = reservations.reserved(type, "alice");

    var released = reservations.release(id);

    assertThat(released.statusCode()).as(released.body()).isEqualTo(200);
    assertThat(Reservations.status(released)).isEqualTo("released");
    var next = reservations.reserve(type, "alice");
    assertThat(next.statusCode()).isEqualTo(201);
    assertThat(Reservations.reason(reservations.release(id)))
        .isEqualTo("RESERVATION_ALREADY_RELEASED");
    assertThat(Reservations.reason(reservations.confirm(id, "user-1")))
        .isEqualTo("RESERVATION_ALREADY_RELEASED");
    assertThat(Reservations.status(reservations.read(Reservations.id(next)))).isEqualTo("reserved");
  }

  @Test
  @Requirement({"RV-AC-6", "RV-INV-5"})
  void one_value_can_be_reserved_in_two_types() {
    var email = Reservations.type();
    var username = Reservations.type();

    var first = reservations.reserve(email, "alice");
    var second = reservations.reserve(username, "alice");

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(second.statusCode()).isEqualTo(201);
    assertThat(Http.json(first).get("key").asText()).isEqualTo(email + ":alice");
    assertThat(Http.json(second).get("key").asText()).isEqualTo(username + ":alice");
  }

  @Test
  @Requirement("RV-DL-2")
  void the_correlation_id_is_stored_and_returned() {
    var body =
        "{\"type\":\"%s\",\"value\":\"alice\",\"ttlMs\":60000,\"correlationId\":\"a \\\"b\\\"\"}"
            .formatted(Reservations.type());

    var id = Reservations.id(api.post("/v1/reservations", Api.token(), body));
    reservations.confirm(id, "user-1");

    assertThat(Http.json(reservations.read(id)).get("correlationId").asText()).isEqualTo("a \"b\"");
    assertThat(rows.texts("SELECT metadata FROM hold WHERE hold_id = ?", id))
        .containsExactly("{\"correlationId\":\"a \\\"b\\\"\"}");
  }

  @Test
  @Requirement("RV-EX-6")
  void a_reservation_is_found_by_id_by_key_and_by_type_and_value() {
    var type = Reservations.type();
    var id = reservations.reserved(type, "a b");

    for (var path :
        List.of("/" + id, "?key=" + type + ":a%20b", "?type=" + type + "&value=a%20b")) {
      var found = api.get("/v1/reservations" + path);
      assertThat(found.statusCode()).as(path).isEqualTo(200);
      assertThat(Reservations.id(found)).isEqualTo(id);
    }
    for (var path :
        List.of("?key=" + type + ":other", "?type=" + type + "&value=x", "?key=none:x")) {
      var missing = api.get("/v1/reservations" + path);
      assertThat(missing.statusCode()).as(path).isEqualTo(404);
      assertThat(Reservations.reason(missing)).isEqualTo("RESERVATION_NOT_FOUND");
    }
  }

  @Test
  @Requirement({"RV-EX-7", "RV-DL-3"})
  void the_sweep_ends_only_what_has_lapsed() {
    var type = Reservations.type();
    var active = reservations.reserved(type, "active");
    var confirmed = reservations.reserved(type, "confirmed");
    reservations.confirm(confirmed, "user-1");
    var lapsing =
        IntStream.range(0, 5)
            .mapToObj(
                i ->
                    Reservations.id(
                        reservations.reserve(Api.token(), type, "lapsing-" + i, "1000")))
            .toList();

    Await.until(
        RetryingClient.PATIENCE,
        () -> lapsing.stream().allMatch(id -> stateOf(id).equals("EXPIRED")));

    assertThat(Reservations.status(reservations.read(active))).isEqualTo("reserved");
    assertThat(Reservations.status(reservations.read(confirmed))).isEqualTo("confirmed");
    var counts = Http.json(api.get("/v1/pools/" + type)).get("counts");
    assertThat(counts.get("held").asInt()).isEqualTo(1);
    assertThat(counts.get("sold").asInt()).isEqualTo(1);
  }

  @Test
  void an_entity_gives_its_value_back() {
    var type = Reservations.type();
    var id = reservations.reserved(type, "alice");
    assertThat(Reservations.reason(reservations.giveBack(id, Api.token())))
        .isEqualTo("RESERVATION_NOT_CONFIRMED");
    reservations.confirm(id, "user-1");
    var token = Api.token();

    var returned = reservations.giveBack(id, token);

    assertThat(returned.statusCode()).as(returned.body()).isEqualTo(200);
    assertThat(Reservations.status(returned)).isEqualTo("released");
    assertThat(reservations.giveBack(id, token).body()).isEqualTo(returned.body());
    assertThat(Reservations.reason(reservations.giveBack(id, Api.token())))
        .isEqualTo("RESERVATION_ALREADY_RELEASED");
    assertThat(Reservations.status(reservations.read(id))).isEqualTo("released");
    assertThat(rows.texts("SELECT reason FROM reversal WHERE hold_id = ?", id)).hasSize(1);
    var next = reservations.reserved(type, "alice");
    assertThat(reservations.confirm(next, "user-2").statusCode()).isEqualTo(200);
  }

  @Test
  void the_same_token_gets_equal_bytes() {
    var type = Reservations.type();
    var token = Api.token();

    var first = reservations.reserve(token, type, "alice", "60000");
    var again = reservations.reserve(token, type, "alice", "60000");

    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(Api.code(reservations.reserve(token, type, "bob", "60000")))
        .isEqualTo("token-collision");
    var bad = Api.token();
    var refused = reservations.reserve(bad, type, "carol", "1");
    assertThat(reservations.reserve(bad, type, "carol", "1").body()).isEqualTo(refused.body());
    assertThat(Api.isReplay(reservations.reserve(bad, type, "carol", "1"))).isTrue();
  }

  @Test
  void other_callers_neither_see_nor_change_a_reservation() {
    var type = Reservations.type();
    var id = reservations.reserved(type, "alice");
    var other = new Reservations(api.as("stranger", "hold", "commit"));

    assertThat(other.read(id).statusCode()).isEqualTo(404);
    assertThat(other.find(type + ":alice").statusCode()).isEqualTo(404);
    assertThat(other.release(id).statusCode()).isEqualTo(404);
    assertThat(other.confirm(id, "user-1").statusCode()).isEqualTo(404);
    assertThat(other.giveBack(id, Api.token()).statusCode()).isEqualTo(403);
    assertThat(other.reserve(Reservations.type(), "x").statusCode())
        .as("only an operator's first use creates a type")
        .isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"items", "catalogue"})
  void the_values_of_others_are_not_listed(String list) {
    var type = Reservations.type();
    reservations.confirm(reservations.reserved(type, "alice"), "user-1");

    var shown = api.as("curious", "hold").get("/v1/pools/" + type + "/" + list);

    assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
    assertThat(shown.body()).doesNotContain("alice");
  }

  private static String stateOf(String id) {
    var states = rows.texts("SELECT state FROM hold WHERE hold_id = ?", id);
    return states.isEmpty() ? "" : states.getFirst();
  }
}
