package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Stock;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/// A pool of units with a waiting room, and the calls on it.
record Room(Api api, String pool) {
  static final Duration PATIENCE = Duration.ofSeconds(20);

  /// @param policy more fields, each with a comma before it
  static Room of(Api api, int capacity, String policy) {
    return new Room(api, Stock.of(api, capacity, "{\"waitingRoom\":true" + policy + "}").pool());
  }

  Room as(Api other) {
    return new Room(other, pool);
  }

  HttpResponse<String> join(String token, String requester) {
    var body = "{\"requester\":\"%s\"}".formatted(requester);
    return api.post("/v1/pools/" + pool + "/queue", token, body);
  }

  /// Joins and returns the ticket.
  String ticket(String requester) {
    var joined = join(Api.token(), requester);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(201);
    return Http.json(joined).get("ticket").asText();
  }

  /// The tickets of so many requesters `u1`, `u2`, …
  List<String> tickets(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> ticket("u" + i)).toList();
  }

  HttpResponse<String> show(String ticket) {
    return api.get("/v1/queue/" + ticket);
  }

  JsonNode look(String ticket) {
    var shown = show(ticket);
    assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
    return Http.json(shown);
  }

  String state(String ticket) {
    return look(ticket).get("state").asText();
  }

  List<String> states(List<String> tickets) {
    return tickets.stream().map(this::state).toList();
  }

  long position(String ticket) {
    return look(ticket).get("position").asLong();
  }

  HttpResponse<String> leave(String token, String ticket) {
    return api.delete("/v1/queue/" + ticket, token);
  }

  HttpResponse<String> admit(String token, int count) {
    return api.post("/v1/pools/" + pool + "/admissions", token, "{\"count\":%d}".formatted(count));
  }

  /// Admits and returns how many were admitted.
  int admit(int count) {
    var answer = admit(Api.token(), count);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Http.json(answer).get("admitted").asInt();
  }

  /// Joins, is admitted and returns the pass.
  String pass(String requester) {
    var ticket = ticket(requester);
    admit(1);
    return passOf(ticket);
  }

  String passOf(String ticket) {
    return look(ticket).get("pass").asText();
  }

  HttpResponse<String> hold(String token, String requester, String pass) {
    var body = "{\"requester\":\"%s\",\"quantity\":1}".formatted(requester);
    var path = "/v1/pools/" + pool + "/holds";
    var authorization = "Bearer " + api.key();
    return Http.post(
        api.base(),
        path,
        body,
        "Authorization",
        authorization,
        "Idempotency-Key",
        token,
        "Waiting-Room-Pass",
        pass);
  }

  /// Places a hold that must succeed.
  Api.Hold held(String requester, String pass) {
    var placed = hold(Api.token(), requester, pass);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    return Api.Hold.of(placed);
  }

  void buy(String requester, String pass) {
    var sold = new Stock(api, pool).confirm(held(requester, pass), requester, 1);
    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
  }

  void awaitState(String ticket, String state) {
    Await.until(PATIENCE, () -> state(ticket).equals(state));
  }

  /// Another last character.
  static String changed(String text) {
    return text.substring(0, text.length() - 1) + (text.endsWith("A") ? "Q" : "A");
  }
}
