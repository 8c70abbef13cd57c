package io.holdfast.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/// The calls on reservations of one caller.
record Reservations(Api api) {

  /// A type that no other test uses.
  static String type() {
    return "type-" + UUID.randomUUID();
  }

  HttpResponse<String> reserve(String token, String type, String value, String ttlMs) {
    return api.post(
        "/v1/reservations",
        token,
        "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":%s}".formatted(type, value, ttlMs));
  }

  HttpResponse<String> reserve(String type, String value) {
    return reserve(Api.token(), type, value, "300000");
  }

  /// Reserves a value that must be free, and returns the id.
  String reserved(String type, String value) {
    var answer = reserve(type, value);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return id(answer);
  }

  HttpResponse<String> confirm(String id, String entityId) {
    return api.post(
        "/v1/reservations/" + id + "/confirm",
        Api.token(),
        "{\"entityId\":\"%s\"}".formatted(entityId));
  }

  HttpResponse<String> release(String id) {
    return api.post("/v1/reservations/" + id + "/release", Api.token(), "{}");
  }

  HttpResponse<String> giveBack(String id, String token) {
    return api.delete("/v1/reservations/" + id, token);
  }

  HttpResponse<String> read(String id) {
    return api.get("/v1/reservations/" + id);
  }

  HttpResponse<String> find(String key) {
    return api.get("/v1/reservations?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8));
  }

  static String id(HttpResponse<String> answer) {
    return Http.json(answer).get("reservationId").asText();
  }

  static String status(HttpResponse<String> answer) {
    return Http.json(answer).path("status").asText();
  }

  static String reason(HttpResponse<String> answer) {
    return Http.json(answer).path("reason").asText();
  }
}
