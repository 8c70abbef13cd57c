package io.holdfast.events.privacy;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Everything that a requester can do, with the name in all texts that the caller chooses.
final class Life {
  private final Api api;
  private final Map<String, Call> calls = new LinkedHashMap<>();
  private final Map<String, HttpResponse<String>> answers = new LinkedHashMap<>();
  private final String name;
  private final Checkouts checkouts;

  private Life(Api api, String name) {
    this.api = api;
    this.name = name;
    this.checkouts = new Checkouts(api);
  }

  static Life of(Api api, String name) {
    var life = new Life(api, name);
    life.live();
    return life;
  }

  private void live() {
    var pool = checkouts.pool(12, "{\"maxHoldsPerRequester\":50,\"maxItemsPerRequester\":50}");
    holds(pool);
    confirms(pool);
    payments(pool);
    waiting();
    bids();
  }

  private interface Call {
    HttpResponse<String> send(String token);
  }

  interface Comparison {
    void of(String call, HttpResponse<String> first, HttpResponse<String> again);
  }

  /// Sends each call again under its token, and compares the answers.
  void retry(Comparison comparison) {
    answers.forEach(
        (call, first) -> comparison.of(call, first, calls.get(call).send(tokenOf(call))));
  }

  private String tokenOf(String call) {
    return UUID.nameUUIDFromBytes((name + call).getBytes(StandardCharsets.UTF_8)).toString();
  }

  private HttpResponse<String> call(String title, int status, Call call) {
    var answer = call.send(tokenOf(title));
    assertThat(answer.statusCode()).as(title + " " + answer.body()).isEqualTo(status);
    calls.put(title, call);
    answers.put(title, answer);
    return answer;
  }

  private Api.Hold hold(String title, String pool, String item) {
    var body =
        "{\"requester\":\"%s\",\"items\":[\"%s\"],\"metadata\":{\"for\":\"%s\"}}"
            .formatted(name, item, name);
    return Api.Hold.of(
        call(title, 201, token -> api.post("/v1/pools/" + pool + "/holds", token, body)));
  }

  private void holds(String pool) {
    var released = hold("place", pool, "A-1");
    call("place again", 200, token -> api.place(pool, token, name, "A-1"));
    api.heartbeat(released.id(), name, released.fence());
    call("release", 200, token -> api.release(released.id(), token, name));
    call("release twice", 409, token -> api.release(released.id(), token, name));
    var expired = hold("place and expire", pool, "A-2");
    call("expire", 200, token -> api.expire(expired.id(), token, true));
    api.hold(pool, "carl", "A-3");
    call("refused", 409, token -> api.place(pool, token, name, "A-3"));
    call("no such item", 400, token -> api.place(pool, token, name, "Z-9"));
  }

  private void confirms(String pool) {
    var hold = hold("place and confirm", pool, "A-4");
    var more = ",\"logicalKey\":\"cart of %s\",\"attemptId\":\"%s-1\"".formatted(name, name);
    call("confirm", 200, token -> api.confirm(hold, token, name, "order of " + name, more));
    call("confirm twice", 409, token -> api.confirm(hold, token, name, "another", more));
    var voided = "{\"refund\":\"none\",\"reason\":\"" + name + " has asked for it\"}";
    call(
        "void", 200, token -> api.post("/v1/commitments/cm~" + hold.id() + "/void", token, voided));
  }

  private void payments(String pool) {
    pay("pay", pool, "A-5", "ok", 200);
    pay("pay in vain", pool, "A-6", "decline", 409);
    var refunded = pay("pay and refund", pool, "A-7", "ok", 200);
    answers.remove("pay and refund"); // a retry with this Prefer shows the checkout as it is now
    call(
        "refund",
        200,
        token ->
            api.post(
                "/v1/commitments/cm~" + refunded.id() + "/void", token, "{\"refund\":\"full\"}"));
  }

  private Api.Hold pay(String title, String pool, String item, String method, int status) {
    var hold = hold(title + ": place", pool, item);
    var body =
        Checkouts.body(hold, name, method, Checkouts.PRICE)
            .replaceFirst(
                "\\{",
                "{\"metadata\":{\"for\":\"%s\"},\"logicalKey\":\"%s pays %s\","
                    .formatted(name, name, item));
    call(title, status, token -> checkouts.begin(token, body, "Prefer", "wait=30"));
    if (method.equals("decline")) {
      call(title + ": release", 200, token -> api.release(hold.id(), token, name));
    }
    return hold;
  }

  private void waiting() {
    var room = "room-" + UUID.randomUUID();
    api.createPool(room, List.of("R-1", "R-2"), "{\"waitingRoom\":true}");
    var left = join("join and leave", room);
    call("leave", 200, token -> api.delete("/v1/queue/" + left, token));
    var ticket = join("join", room);
    api.get("/v1/queue/" + ticket);
    call(
        "admit",
        200,
        token -> api.post("/v1/pools/" + room + "/admissions", token, "{\"count\":1}"));
    call("revoke", 200, token -> api.delete("/v1/queue/" + ticket + "/pass", token));
  }

  private String join(String title, String room) {
    var body = "{\"requester\":\"%s\"}".formatted(name);
    var joined = call(title, 201, token -> api.post("/v1/pools/" + room + "/queue", token, body));
    return Http.json(joined).get("ticket").asText();
  }

  private void bids() {
    var lot = "lot-" + UUID.randomUUID();
    var made =
        api.post(
            "/v1/pools",
            Api.token(),
            "{\"pool\":\"%s\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":100}"
                .formatted(lot, Instant.now().plusSeconds(3_600)));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    var bids = "/v1/pools/" + lot + "/bids";
    var bid = "{\"requester\":\"%s\",\"amountCents\":%d}";
    call("bid", 201, token -> api.post(bids, token, bid.formatted(name, 500)));
    call("raise", 201, token -> api.post(bids, token, bid.formatted(name, 700)));
    call("lower", 409, token -> api.post(bids, token, bid.formatted(name, 600)));
    call("close", 200, token -> api.post("/v1/pools/" + lot + "/close", token, "{}"));
  }
}
