package io.holdfast.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The look-up of a call on a reservation shows the answer that the call got.
@ExtendWith(RealServers.class)
class ReservationOperationsTest {
  private static final String REGISTER =
      "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":300000,\"correlationId\":\"c-1\"}";

  private static Api api;
  private static Reservations reservations;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    reservations = new Reservations(api);
    records = new Records(servers, api);
  }

  @Test
  @Requirement("AU-9")
  void a_call_on_a_reservation_is_looked_up_with_the_answer_it_got() {
    var type = Reservations.type();
    var other = reservations.reserved(type, "bob");
    var first = Api.token();
    var again = Api.token();
    var answers = new LinkedHashMap<String, HttpResponse<String>>();
    answers.put(first, api.post("/v1/reservations", first, REGISTER.formatted(type, "alice")));
    answers.put(again, api.post("/v1/reservations", again, REGISTER.formatted(type, "alice")));
    var id = Reservations.id(answers.get(first));
    assertTold(api, type, answers); // by Redis, as far as the journal is not drained
    for (var entity : new String[] {"user-1", "user-2"}) {
      var token = Api.token();
      answers.put(token, confirm(id, token, entity));
    }
    var releasing = Api.token();
    answers.put(releasing, release(other, releasing));
    var late = Api.token();
    answers.put(late, confirm(other, late, "user-3"));
    var unknown = Api.token();
    answers.put(unknown, confirm(other.replaceFirst("~[^~]+$", "~0123456789abcdef"), unknown, "u"));
    var wrong = Api.token();
    answers.put(wrong, confirm(id, wrong, ""));
    records.words(type);

    assertTold(api, type, answers);
    assertThat(answers.values().stream().map(HttpResponse::statusCode))
        .containsExactly(201, 409, 200, 409, 200, 409, 404, 400);
  }

  @Test
  @Requirement("AU-9")
  void a_value_that_somebody_else_has_is_looked_up_without_the_reservation() {
    var type = Reservations.type();
    reservations.reserved(type, "alice");
    var other = api.as("other-" + Api.token().substring(0, 8), "hold", "commit");
    var token = Api.token();
    var refused = other.post("/v1/reservations", token, REGISTER.formatted(type, "alice"));

    assertTold(other, type, Map.of(token, refused));
    records.words(type);
    assertTold(other, type, Map.of(token, refused));
    assertThat(Reservations.reason(refused)).isEqualTo("ALREADY_RESERVED");
  }

  /// The record of such a call does not name the reservation.
  @Test
  void a_refused_release_is_looked_up_without_the_state_that_it_met() {
    var type = Reservations.type();
    var id = reservations.reserved(type, "alice");
    reservations.confirm(id, "user-1");
    var token = Api.token();
    var refused = release(id, token);

    var known = operation(api, type, token);

    assertThat(Reservations.reason(refused)).isEqualTo("RESERVATION_ALREADY_CONFIRMED");
    assertThat(Http.json(known).at("/result/status").asInt()).isEqualTo(409);
    assertThat(Http.json(known).at("/result/body/code").asText()).isEqualTo("not-held");
  }

  private static void assertTold(
      Api caller, String type, Map<String, HttpResponse<String>> answers) {
    answers.forEach(
        (token, answer) -> {
          var known = operation(caller, type, token);
          assertThat(known.statusCode()).as(known.body()).isEqualTo(200);
          var result = Http.json(known).get("result");
          assertThat(result.get("status").asInt()).isEqualTo(answer.statusCode());
          assertThat(result.get("body")).isEqualTo(Http.json(answer));
        });
  }

  private static HttpResponse<String> operation(Api caller, String type, String token) {
    return caller.get("/v1/operations/" + token + "?pool=" + type);
  }

  private static HttpResponse<String> confirm(String id, String token, String entity) {
    var body = "{\"entityId\":\"%s\"}".formatted(entity);
    return api.post("/v1/reservations/" + id + "/confirm", token, body);
  }

  private static HttpResponse<String> release(String id, String token) {
    return api.post("/v1/reservations/" + id + "/release", token, "{}");
  }
}
