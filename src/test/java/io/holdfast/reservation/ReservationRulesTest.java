package io.holdfast.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Stock;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a request about a reservation may contain. Each refusal has a reason.
@ExtendWith(RealServers.class)
class ReservationRulesTest {
  private static Api api;
  private static Reservations reservations;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
    reservations = new Reservations(api);
  }

  @ParameterizedTest
  @Requirement("RV-EX-1")
  @CsvSource({
    "0, INVALID_TTL",
    "-1, INVALID_TTL",
    "999, INVALID_TTL",
    "1000.5, INVALID_TTL",
    "1e999, INVALID_TTL",
    "'\"NaN\"', INVALID_TTL",
    "null, INVALID_TTL",
    "86400001, TTL_TOO_LONG",
    "1000, ''",
    "2000.0, ''",
    "3e3, ''",
    "86400000, ''"
  })
  void the_time_has_bounds(String ttlMs, String reason) {
    var answer = reservations.reserve(Api.token(), "bounds", "v-" + ttlMs.hashCode(), ttlMs);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(reason.isEmpty() ? 201 : 400);
    assertThat(Reservations.reason(answer)).isEqualTo(reason);
  }

  @Test
  @Requirement({"RV-EX-3", "RV-EX-4"})
  void an_unknown_reservation_and_a_missing_entity_are_refused() {
    var id = reservations.reserved(Reservations.type(), "alice");
    var unknown = id.substring(0, id.length() - 1) + (id.endsWith("a") ? "b" : "a");

    assertThat(Reservations.reason(reservations.confirm("nonsense", "user-1")))
        .isEqualTo("RESERVATION_NOT_FOUND");
    assertThat(Reservations.reason(reservations.confirm(unknown, "user-1")))
        .isEqualTo("RESERVATION_NOT_FOUND");
    assertThat(Reservations.reason(reservations.release(unknown)))
        .isEqualTo("RESERVATION_NOT_FOUND");
    assertThat(reservations.read(unknown).statusCode()).isEqualTo(404);
    for (var body : List.of("{}", "{\"entityId\":null}", "{\"entityId\":\" \"}")) {
      var refused = api.post("/v1/reservations/" + id + "/confirm", Api.token(), body);
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(Reservations.reason(refused)).isEqualTo("ENTITY_ID_REQUIRED");
    }
    assertThat(reservations.confirm(id, "user-1").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @Requirement("RV-EX-5")
  @CsvSource({
    "'{\"value\":\"v\",\"ttlMs\":1000}', TYPE_REQUIRED",
    "'{\"type\":\" \",\"value\":\"v\",\"ttlMs\":1000}', TYPE_REQUIRED",
    "'{\"type\":\"a:b\",\"value\":\"v\",\"ttlMs\":1000}', INVALID_TYPE",
    "'{\"type\":7,\"value\":\"v\",\"ttlMs\":1000}', INVALID_TYPE",
    "'{\"type\":\"t\",\"ttlMs\":1000}', VALUE_REQUIRED",
    "'{\"type\":\"t\",\"value\":\"\",\"ttlMs\":1000}', VALUE_REQUIRED",
    "'{\"type\":\"t\",\"value\":7,\"ttlMs\":1000}', INVALID_VALUE",
    "'{\"type\":\"t\",\"value\":\"a\\u0007b\",\"ttlMs\":1000}', INVALID_VALUE"
  })
  void a_key_has_a_type_and_a_value(String body, String reason) {
    var refused = api.post("/v1/reservations", Api.token(), body);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(Reservations.reason(refused)).isEqualTo(reason);
  }

  @Test
  @Requirement("RV-EX-5")
  void types_and_values_have_a_length_and_a_value_may_have_colons() {
    var type = Reservations.type();

    assertThat(Reservations.reason(reservations.reserve("t".repeat(65), "v")))
        .isEqualTo("TYPE_TOO_LONG");
    assertThat(Reservations.reason(reservations.reserve(type, "v".repeat(513))))
        .isEqualTo("VALUE_TOO_LONG");
    assertThat(reservations.reserve(type, "v".repeat(512)).statusCode()).isEqualTo(201);
    reservations.reserved(type, "https://example.com:8080");
    var found = reservations.find(type + ":https://example.com:8080");
    assertThat(found.statusCode()).isEqualTo(200);
    assertThat(Http.json(found).get("key").asText()).isEqualTo(type + ":https://example.com:8080");
  }

  @Test
  void a_name_of_a_field_cannot_forge_a_line_of_the_journal() {
    var type = Reservations.type();
    reservations.reserved(type, "alice");
    var token = Api.token();
    var line = "x\\u001evictim\\t%s\\tplace_hold\\t1:abc\\t60000\\tTAKEN\\t".formatted(token);

    var refused =
        api.post(
            "/v1/reservations",
            Api.token(),
            "{\"type\":\"%s\",\"value\":\"bob\",\"ttlMs\":5000,\"%s\":1}".formatted(type, line));

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(Http.json(refused).get("detail").asText())
        .isEqualTo("The field (unnamed) is not known here.");
    api.get("/v1/pools/" + type + "/holds"); // drains the journal
    var audit = api.get("/v1/audit/tokens/%s?pool=%s".formatted(token, type));
    assertThat(Http.json(audit).get("steps")).as(audit.body()).isEmpty();
  }

  @Test
  void a_retry_may_carry_an_attempt_and_null_fields() {
    var body = "{\"type\":\"%s\",\"value\":\"v\",\"ttlMs\":5000%s}";
    var type = Reservations.type();
    var token = Api.token();

    var first =
        api.post(
            "/v1/reservations", token, body.formatted(type, ",\"attemptId\":\"1\",\"other\":null"));
    var again = api.post("/v1/reservations", token, body.formatted(type, ""));

    assertThat(first.statusCode()).as(first.body()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(first.body());
  }

  @Test
  void a_hold_of_seats_or_units_is_not_a_reservation() {
    var seat = api.hold(api.pool(1), me(), "A-1");
    var units = Stock.of(api, 5).hold(me(), 2);

    for (var hold : List.of(seat, units)) {
      assertThat(Reservations.reason(reservations.release(hold.id())))
          .isEqualTo("RESERVATION_NOT_FOUND");
      assertThat(Reservations.reason(reservations.confirm(hold.id(), "user-1")))
          .isEqualTo("RESERVATION_NOT_FOUND");
      assertThat(Http.json(api.get("/v1/holds/" + hold.id())).get("state").asText())
          .isEqualTo("HELD");
    }
  }

  /// The requester of this caller's reservations.
  private static String me() {
    var id = reservations.reserved(Reservations.type(), "alice");
    return Http.json(api.get("/v1/holds/" + id)).get("requester").asText();
  }

  @Test
  void an_entity_id_is_measured_in_bytes() {
    var id = reservations.reserved(Reservations.type(), "alice");

    assertThat(Reservations.reason(reservations.confirm(id, "é".repeat(65))))
        .isEqualTo("ENTITY_ID_TOO_LONG");
    assertThat(reservations.confirm(id, "é".repeat(64)).statusCode()).isEqualTo(200);
  }

  @Test
  void a_missing_body_is_named_as_such() {
    var refused = api.post("/v1/reservations", Api.token(), "");

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(Http.json(refused).get("detail").asText())
        .isEqualTo("The body is missing; send a JSON object.");
  }
}
