package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.events.Receiver;
import io.holdfast.events.Subscriber;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a caller stores with a hold or a checkout is shown with it and published with it,
/// unchanged.
@ExtendWith(RealServers.class)
class MetadataTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static Service service;
  private static Api api;
  private static Checkouts checkouts;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers servers) {
    service = Subscriber.service(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    checkouts = new Checkouts(api);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  static Stream<JsonNode> hostile() {
    return Stream.of(
        texts("order", "7", "shop", "north"),
        texts("tab\\", "a\tb\nc\r\u001ed\u001f\u0001\"e'\\f"),
        texts("separators", "|>,\u0085\u2028\u2029\ufeff\u007f"),
        texts("Ärger 😀", "\ud83d\ude00 %s {0} $1 \\u0000"),
        texts("__sealed", "1", "__personal", "2", "__redacted", "true", "value", "3"),
        texts("m", "€".repeat(682)),
        texts("n", "\u001e".repeat(2_047)),
        texts("empty", ""));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void every_answer_and_the_event_of_the_sale_have_the_metadata_unchanged(JsonNode metadata) {
    var pool = api.pool(4);
    var token = Api.token();
    var placed = place(pool, token, "\"items\":[\"A-1\",\"A-2\"]", metadata);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    var hold = Api.Hold.of(placed);

    var sold = api.confirm(hold, Api.token(), "ann", "order-7");

    assertThat(metadata(placed)).isEqualTo(metadata);
    assertThat(metadata(sold)).isEqualTo(metadata);
    assertThat(metadata(api.read(hold.id()))).isEqualTo(metadata);
    assertThat(metadata(first(api.get("/v1/pools/" + pool + "/holds")))).isEqualTo(metadata);
    var operation = Http.json(api.get("/v1/operations/" + token + "?pool=" + pool));
    assertThat(operation.path("result").path("body").get("metadata")).isEqualTo(metadata);
    assertThat(place(pool, token, "\"items\":[\"A-1\",\"A-2\"]", metadata).body())
        .isEqualTo(placed.body());
    Await.until(
        Subscriber.SOON, () -> events(pool).findValuesAsText("type").contains("hold.confirmed"));
    events(pool).forEach(event -> assertThat(event.at("/data/hold/metadata")).isEqualTo(metadata));
  }

  @Test
  void a_retry_with_the_names_in_another_order_is_the_same_call() {
    var pool = api.pool(1);
    var token = Api.token();
    var placed = place(pool, token, "\"items\":[\"A-1\"]", texts("b", "2", "a", "1"));

    var retried = place(pool, token, "\"items\":[\"A-1\"]", texts("a", "1", "b", "2"));
    var other = place(pool, token, "\"items\":[\"A-1\"]", texts("a", "1", "b", "3"));

    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    assertThat(retried.body()).isEqualTo(placed.body());
    assertThat(Api.isReplay(retried)).isTrue();
    assertThat(Api.code(other)).isEqualTo("token-collision");
  }

  @Test
  void adjacent_seats_and_quantities_have_metadata_too() {
    var metadata = texts("a b", "\tc\nd\u001ee");

    var best = place(new SeatRowPools(api).pool(5), Api.token(), "\"bestAvailable\":2", metadata);
    var units = place(Stock.of(api, 5).pool(), Api.token(), "\"quantity\":2", metadata);

    for (var placed : new HttpResponse<?>[] {best, units}) {
      assertThat(placed.statusCode()).as("%s", placed.body()).isEqualTo(201);
    }
    assertThat(metadata(best)).isEqualTo(metadata);
    assertThat(metadata(units)).isEqualTo(metadata);
    var id = Http.json(units).get("holdId").asText();
    var released = api.release(id, Api.token(), "ann");
    assertThat(metadata(released)).isEqualTo(metadata);
  }

  @Test
  void a_hold_without_metadata_has_no_such_field() {
    var pool = api.pool(2);

    assertThat(Http.json(api.place(pool, Api.token(), "ann", "A-1")).has("metadata")).isFalse();
    var empty = place(pool, Api.token(), "\"items\":[\"A-2\"]", JSON.createObjectNode());
    assertThat(Http.json(empty).has("metadata")).isFalse();
  }

  @Test
  void a_placed_hold_is_published_with_its_metadata() {
    try (var receiver = Receiver.open()) {
      new Subscriber(api).register(receiver, "hold.placed", "hold.released");
      var pool = api.pool(1);
      var metadata = texts("ref", "x\ty\nz");
      var hold = Api.Hold.of(place(pool, Api.token(), "\"items\":[\"A-1\"]", metadata));
      api.release(hold.id(), Api.token(), "ann");

      Await.until(Subscriber.SOON, () -> receiver.requests().stream().anyMatch(of(hold)));

      receiver.requests().stream()
          .filter(of(hold))
          .forEach(
              request -> assertThat(request.json().at("/data/hold/metadata")).isEqualTo(metadata));
    }
  }

  private static Predicate<Receiver.Request> of(Api.Hold hold) {
    return request -> request.json().path("subject").asText().equals(hold.id());
  }

  @Test
  void a_checkout_shows_and_publishes_its_own_metadata() {
    var pool = checkouts.pool(2, "{}");
    for (var method : new String[] {"ok", "decline"}) {
      var item = method.equals("ok") ? "A-1" : "A-2";
      var hold = api.hold(pool, "ann", item);
      var metadata = texts("invoice", "€\t\u001e\n\"" + method);
      var body = Checkouts.body(hold, "ann", method, Checkouts.PRICE);

      var paid =
          checkouts.begin(
              Api.token(),
              body.substring(0, body.lastIndexOf('}')) + ",\"metadata\":" + metadata + "}",
              "Prefer",
              "wait=30");

      assertThat(paid.body()).contains("checkoutId");
      var id = Http.json(paid).get("checkoutId").asText();
      assertThat(checkouts.read(id).get("metadata")).isEqualTo(metadata);
      Await.until(
          Subscriber.SOON,
          () -> events(pool).findParents("checkout").stream().anyMatch(isOf(id, metadata)));
    }
  }

  private static Predicate<JsonNode> isOf(String id, JsonNode metadata) {
    return data ->
        data.at("/checkout/checkoutId").asText().equals(id)
            && data.at("/checkout/metadata").equals(metadata);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7",
        "[]",
        "\"text\"",
        "{\"a\":1}",
        "{\"a\":{}}",
        "{\"a\":[\"b\"]}",
        "{\"\":\"b\"}",
        "{\"a\\tb\":\"b\"}",
        "{\"a\":\"\\u0000\"}"
      })
  void other_metadata_is_refused_and_the_refusal_is_stored(String metadata) throws Exception {
    refuses(JSON.readTree(metadata));
  }

  @Test
  void more_than_twenty_texts_or_two_kibibytes_are_refused() {
    var many = JSON.createObjectNode();
    for (var i = 0; i < 20; i++) {
      many.put("n" + i, "");
    }
    var pool = api.pool(1);
    assertThat(place(pool, Api.token(), "\"items\":[\"A-1\"]", many).statusCode()).isEqualTo(201);

    refuses(many.deepCopy().put("n20", ""));
    refuses(texts("m", "€".repeat(683)));
    refuses(texts("n".repeat(128), "x".repeat(1_921)));
  }

  private static void refuses(JsonNode metadata) {
    var pool = api.pool(1);
    var token = Api.token();

    var refused = place(pool, token, "\"items\":[\"A-1\"]", metadata);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(Api.code(refused)).isEqualTo("invalid-request");
    assertThat(Http.json(refused).get("field").asText()).startsWith("metadata");
    var again = place(pool, token, "\"items\":[\"A-1\"]", metadata);
    assertThat(again.body()).isEqualTo(refused.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(api.counts(pool)).isEqualTo("1 free, 0 held");
  }

  @Test
  void a_shredding_erases_metadata() {
    var pool = checkouts.pool(3, "{}");
    var requester = "req-" + Api.token();
    var secret = "secret-" + Api.token();
    var metadata = texts("guest", secret);
    var hold = placeFor(requester, pool, "A-1", metadata);
    api.confirm(hold, Api.token(), requester, "order-1");
    var paid = placeFor(requester, pool, "A-2", metadata);
    var body = Checkouts.body(paid, requester, "ok", Checkouts.PRICE);
    var checkout =
        Http.json(
            checkouts.begin(
                Api.token(),
                body.substring(0, body.lastIndexOf('}')) + ",\"metadata\":" + metadata + "}",
                "Prefer",
                "wait=30"));
    var released = placeFor(requester, pool, "A-3", metadata);
    api.release(released.id(), Api.token(), requester);
    for (var each : new Api.Hold[] {hold, paid}) {
      Await.until(Subscriber.SOON, () -> rows.stateOf(each).equals("CONFIRMED"));
    }
    Await.until(Subscriber.SOON, () -> rows.stateOf(released).equals("RELEASED"));
    // a release is an event only if a webhook listens, as that of another test may
    Await.until(Subscriber.SOON, () -> events(pool).size() >= 3);
    assertThat(events(pool).toString()).contains(secret);

    var shredded = api.post("/v1/subjects/" + requester + "/shred", Api.token(), "{}");

    assertThat(shredded.statusCode()).as(shredded.body()).isEqualTo(200);
    assertThat(Http.json(shredded).get("fieldsShredded").toString())
        .contains("hold.metadata", "checkout.metadata");
    for (var table : new String[] {"hold", "checkout", "journal", "event", "event_fresh"}) {
      assertThat(
              rows.number(
                  "SELECT count(*) FROM " + table + " t WHERE t::text LIKE ?", "%" + secret + "%"))
          .as(table)
          .isZero();
    }
    assertThat(metadata(api.read(released.id()))).isEmpty();
    assertThat(checkouts.read(checkout.get("checkoutId").asText()).get("metadata")).isEmpty();
    var events = events(pool);
    assertThat(events.toString()).doesNotContain(secret);
    assertThat(events.get(0).at("/data/hold/metadata/__redacted").asBoolean()).isTrue();
    assertThat(events.get(0).at("/data/hold/metadata/originalType").asText()).isEqualTo("object");
  }

  private static Api.Hold placeFor(String requester, String pool, String item, JsonNode metadata) {
    var body =
        "{\"requester\":\"%s\",\"items\":[\"%s\"],\"metadata\":%s}"
            .formatted(requester, item, metadata);
    var placed = api.post("/v1/pools/" + pool + "/holds", Api.token(), body);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    return Api.Hold.of(placed);
  }

  private static HttpResponse<String> place(
      String pool, String token, String wish, JsonNode metadata) {
    return api.post(
        "/v1/pools/" + pool + "/holds",
        token,
        "{\"requester\":\"ann\"," + wish + ",\"metadata\":" + metadata + "}");
  }

  private static JsonNode events(String pool) {
    return Http.json(api.get("/v1/pools/" + pool + "/events"));
  }

  private static JsonNode first(HttpResponse<String> page) {
    return Http.json(page).get("holds").get(0);
  }

  private static JsonNode metadata(HttpResponse<String> answer) {
    return metadata(Http.json(answer));
  }

  private static JsonNode metadata(JsonNode hold) {
    return hold.get("metadata");
  }

  private static ObjectNode texts(String... namesAndTexts) {
    var texts = JSON.createObjectNode();
    for (var i = 0; i < namesAndTexts.length; i += 2) {
      texts.put(namesAndTexts[i], namesAndTexts[i + 1]);
    }
    return texts;
  }
}
