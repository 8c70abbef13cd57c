package io.holdfast.auction;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

/// An auction and the calls on it.
record Lot(Api api, String pool) {
  static final long RESERVE = 100;

  static Lot of(Api api) {
    return of(api, Duration.ofHours(1), "{}");
  }

  /// @param open how long bids are taken
  static Lot of(Api api, Duration open, String policy) {
    return of(api, Instant.now().plus(open), policy);
  }

  static Lot of(Api api, Instant closesAt, String policy) {
    var name = "lot-" + UUID.randomUUID();
    var made = api.post("/v1/pools", Api.token(), body(name, closesAt, policy));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return new Lot(api, name);
  }

  static String body(String name, Instant closesAt, String policy) {
    return "{\"pool\":\"%s\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":%d,\"policy\":%s}"
        .formatted(name, closesAt, RESERVE, policy);
  }

  HttpResponse<String> place(String token, String requester, long amountCents) {
    return api.post(
        "/v1/pools/" + pool + "/bids",
        token,
        "{\"requester\":\"%s\",\"amountCents\":%d}".formatted(requester, amountCents));
  }

  /// Places a bid that must succeed.
  Hold bid(String requester, long amountCents) {
    var placed = place(Api.token(), requester, amountCents);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    var json = Http.json(placed);
    return new Hold(json.get("bidId").asText(), json.get("sequence").asLong());
  }

  /// The ids of the highest bids, the leader first.
  List<String> top(int most) {
    var bids = Http.json(api.get("/v1/pools/" + pool + "/bids?top=" + most)).get("bids");
    return StreamSupport.stream(bids.spliterator(), false)
        .map(bid -> bid.get("bidId").asText())
        .toList();
  }

  HttpResponse<String> close() {
    return close(Api.token());
  }

  HttpResponse<String> close(String token) {
    return api.post("/v1/pools/" + pool + "/close", token, "{}");
  }

  /// The auction as the pool shows it.
  JsonNode shown() {
    return Http.json(api.get("/v1/pools/" + pool)).get("auction");
  }

  String stateOf(Hold bid) {
    return Http.json(api.read(bid.id())).get("state").asText();
  }

  /// Through another instance.
  Lot by(Api other) {
    return new Lot(other, pool);
  }
}
