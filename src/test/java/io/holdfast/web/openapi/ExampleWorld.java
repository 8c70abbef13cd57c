package io.holdfast.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.events.PricedPools;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Stock;
import io.holdfast.web.openapi.ApiExamplesTest.Place;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// Prepares, for each operation, what its example needs: the pool, the hold, the ticket. Names and
/// ids that a service gives cannot stand in an example, so they are filled in here. The operations
/// on checkouts and failed sales are prepared by ExampleSales.
final class ExampleWorld {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  static final String REQUESTER = "u1";
  private static final String KEY = "{\"caller\":\"kiosk\",\"scopes\":[\"hold\"]}";

  private final Api api;
  private final ExampleSales sales;
  private final String receiver;

  ExampleWorld(Api api, ExampleSales sales, String receiver) {
    this.api = api;
    this.sales = sales;
    this.receiver = receiver;
  }

  Place placeOf(String operation) {
    return switch (operation) {
      case "createPool", "createApiKey", "reserveValue", "appendToStream" -> Place.of();
      case "listPools", "getAuditReport", "listDuplicateGuards", "listWebhooks" -> Place.of();
      case "recommendPattern" -> Place.of().asking("field=email&mutable=true&flow=single-step");
      case "getEventSchema" -> Place.of("type", "hold.confirmed", "version", "1.0.0");
      case "placeHold",
          "getPool",
          "listItemStates",
          "listCatalogue",
          "listHolds",
          "listEvents",
          "createStreamTicket",
          "addItems",
          "blockItems" ->
          Place.of("pool", pool());
      case "unblockItems" -> Place.of("pool", blocked());
      case "changePool" -> Place.of("pool", Stock.of(api, 1_000).pool());
      case "getHold", "expireHold", "releaseHold" -> onHold(held(pool()));
      case "getHoldHistory" -> onDrained(held(pool()));
      case "sendHeartbeat", "confirmHold" -> onHold(held(pool()));
      case "createAuthorization", "startCheckout" -> onHold(held(pool()));
      case "listHoldsOfRequester" -> Place.of("requester", REQUESTER);
      case "getEvent" -> onNumberedSale();
      case "voidCommitment", "listSales", "exportSales" -> onSale();
      case "compensateSale" -> onFailedSale();
      case "getOperation", "getTokenHistory" -> ofToken();
      case "findOperationByLogicalKey" -> ofLogicalKey();
      case "getCheckout" -> Place.of("checkoutId", sales.begun(held(pool()), "ok"));
      case "listCheckouts" -> ofCheckouts();
      case "resumeCheckout" -> Place.of("checkoutId", sales.stuck(held(pool())));
      case "receivePaymentNotice" -> sales.awaitingNotice(held(pool()));
      case "revokeApiKey", "listApiKeys" -> Place.of("id", made("/v1/keys", KEY, "id"));
      case "createWebhook" -> Place.of().with("url", receiver);
      case "getWebhook",
          "deleteWebhook",
          "listDeliveries",
          "changeWebhook",
          "pingWebhook",
          "rotateWebhookSecret" ->
          Place.of("id", webhook());
      case "replayWebhook" -> Place.of("id", webhook()).with("pool", pool());
      case "getReservation", "confirmReservation", "releaseReservation" ->
          Place.of("id", reserved("user-" + UUID.randomUUID()));
      case "returnReservation" -> Place.of("id", confirmedReservation());
      case "findReservation" -> ofReservedKey();
      case "getStream" -> Place.of("id", streamed());
      case "placeBid", "listBids", "closeAuction" -> Place.of("pool", lot());
      case "joinQueue", "admitTickets" -> Place.of("pool", room("{\"waitingRoom\":true}"));
      case "getTicket", "leaveQueue" -> Place.of("ticket", ticket(room("{\"waitingRoom\":true}")));
      case "getRaffleProof" -> Place.of("pool", raffle());
      case "revokePass" -> Place.of("ticket", admitted());
      case "shredSubject" -> Place.of("id", leaver());
      default -> throw new AssertionError("prepare a place for " + operation);
    };
  }

  private String pool() {
    return PricedPools.create(api, "A-1", "A-2", "A-3", "A-4");
  }

  private String blocked() {
    var pool = pool();
    assertThat(api.block(pool, "A-1", "A-2").statusCode()).isEqualTo(200);
    return pool;
  }

  private Hold held(String pool) {
    return api.hold(pool, REQUESTER, "A-1", "A-2");
  }

  private static Place onHold(Hold hold) {
    return Place.of("holdId", hold.id()).with("fence", hold.fence()).with("holdId", hold.id());
  }

  /// The history is read from Postgres, which the journal reaches later.
  private Place onDrained(Hold hold) {
    Await.until(PATIENCE, () -> api.get("/v1/audit/holds/" + hold.id()).statusCode() != 404);
    return onHold(hold);
  }

  private Place onSale() {
    var pool = pool();
    var sold = api.confirm(held(pool), Api.token(), REQUESTER, "order-1");
    return Place.of("pool", pool, "sequence", "1", "commitmentId", text(sold, "commitmentId"));
  }

  /// An event is read once it is numbered, which another transaction may be doing.
  private Place onNumberedSale() {
    var place = onSale();
    var event = place.fill("/v1/pools/{pool}/events/{sequence}");
    Await.until(PATIENCE, () -> api.get(event).statusCode() == 200);
    return place;
  }

  private Place ofToken() {
    var pool = pool();
    var token = Api.token();
    api.place(pool, token, REQUESTER, "A-1");
    return Place.of("token", token).asking("pool=" + pool);
  }

  private Place ofLogicalKey() {
    var pool = pool();
    var key = ",\"logicalKey\":\"order-of-" + pool + "\"";
    var sold = api.confirm(held(pool), Api.token(), REQUESTER, "order-1", key);
    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    return Place.of().asking("pool=" + pool + "&logicalKey=order-of-" + pool);
  }

  private Place ofCheckouts() {
    var pool = pool();
    sales.begun(held(pool), "ok");
    return Place.of().asking("pool=" + pool);
  }

  private Place onFailedSale() {
    var hold = held(pool());
    sales.fail(hold);
    var body = "{\"holdId\":\"%s\",\"operation\":\"compensate\"}".formatted(hold.id());
    return onHold(hold).with("nonce", made("/v1/authorizations", body, "nonce"));
  }

  private String webhook() {
    var body = "{\"url\":\"%s\",\"types\":[\"hold.confirmed\"]}".formatted(receiver);
    return made("/v1/webhooks", body, "webhookId");
  }

  private String reserved(String value) {
    var body = "{\"type\":\"username\",\"value\":\"%s\",\"ttlMs\":300000}".formatted(value);
    return made("/v1/reservations", body, "reservationId");
  }

  private String confirmedReservation() {
    var id = reserved("user-" + UUID.randomUUID());
    var path = "/v1/reservations/" + id + "/confirm";
    assertThat(api.post(path, Api.token(), "{\"entityId\":\"e-1\"}").statusCode()).isEqualTo(200);
    return id;
  }

  private Place ofReservedKey() {
    var value = "user-" + UUID.randomUUID();
    reserved(value);
    return Place.of().asking("key=username:" + value);
  }

  private String streamed() {
    var body =
        """
        {"entityType":"User","businessKey":["%s"],"field":"username","expectedVersion":0,
         "events":[{"type":"UserCreated","data":{}}]}\
        """
            .formatted(UUID.randomUUID());
    return made("/v1/streams", body, "streamId");
  }

  private String lot() {
    var name = "lot-" + UUID.randomUUID();
    var end = Instant.now().plus(Duration.ofHours(1));
    var body =
        "{\"pool\":\"%s\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":100}"
            .formatted(name, end);
    return made("/v1/pools", body, "pool");
  }

  private String room(String policy) {
    return Stock.of(api, 10, policy).pool();
  }

  private String ticket(String room) {
    var body = "{\"requester\":\"%s\"}".formatted(REQUESTER);
    return made("/v1/pools/" + room + "/queue", body, "ticket");
  }

  /// The proof is read from Postgres, which the first ticket reaches later.
  private String raffle() {
    var opensAt = Instant.now().plus(Duration.ofHours(1));
    var room =
        room("{\"waitingRoom\":true,\"order\":\"RAFFLE\",\"opensAt\":\"%s\"}".formatted(opensAt));
    ticket(room);
    var proof = "/v1/pools/" + room + "/queue/proof";
    Await.until(PATIENCE, () -> api.get(proof).statusCode() != 404);
    return room;
  }

  private String admitted() {
    var room = room("{\"waitingRoom\":true}");
    var ticket = ticket(room);
    api.post("/v1/pools/" + room + "/admissions", Api.token(), "{\"count\":1}");
    Await.until(PATIENCE, () -> text(api.get("/v1/queue/" + ticket), "state").equals("ADMITTED"));
    return ticket;
  }

  /// Somebody whose only purchase is over.
  private String leaver() {
    var name = "leaver-" + UUID.randomUUID();
    var hold = api.hold(pool(), name, "A-1");
    assertThat(api.confirm(hold, Api.token(), name, "order-1").statusCode()).isEqualTo(200);
    return name;
  }

  private String made(String path, String body, String member) {
    var answer = api.post(path, Api.token(), body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return text(answer, member);
  }

  static String text(HttpResponse<String> answer, String member) {
    var value = Http.json(answer).path(member);
    assertThat(value.isMissingNode()).as(answer.body()).isFalse();
    return value.asText();
  }
}
