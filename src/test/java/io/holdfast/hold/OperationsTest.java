package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Looks up the result of a call whose response was lost.
@ExtendWith(RealServers.class)
@Tag("cluster")
class OperationsTest {
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @Test
  @Requirement({"RS-S1b", "H-3"})
  void every_call_under_a_token_can_be_looked_up_with_the_answer_it_got() {
    var pool = api.pool(2);
    var placing = Api.token();
    var placed = api.place(pool, placing, "ann", "A-1");
    var hold = Api.Hold.of(placed);
    api.heartbeat(hold.id(), "ann", hold.fence());
    var confirming = Api.token();
    var sale = api.confirm(hold, confirming, "ann", "order-1");
    var refusing = Api.token();
    var refused = api.place(pool, refusing, "bob", "A-1");

    assertTells("?pool=" + pool, placing, "place_hold", placed);
    assertTells("?pool=" + pool, confirming, "confirm", sale);
    assertTells("?pool=" + pool, refusing, "place_hold", refused);
    Await.until(
        Duration.ofSeconds(20),
        () -> rows.number("SELECT count(*) FROM token_result WHERE pool = ?", pool) == 3);
    assertTells("?pool=" + pool, placing, "place_hold", placed);
    assertTells("?pool=" + pool, refusing, "place_hold", refused);
  }

  @Test
  @Requirement("RS-S1b")
  void a_purchase_can_be_looked_up_by_its_logical_key() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var sale = api.confirm(hold, Api.token(), "ann", "order-1", ",\"logicalKey\":\"ann:A-1\"");

    var known = api.get("/v1/operations?pool=" + pool + "&logicalKey=ann:A-1");

    assertThat(known.statusCode()).as(known.body()).isEqualTo(200);
    assertThat(Http.json(known).get("result").get("body")).isEqualTo(Http.json(sale));
    assertThat(api.get("/v1/operations?pool=" + pool + "&logicalKey=other").statusCode())
        .isEqualTo(404);
  }

  @Test
  @Requirement("AU-9")
  void a_call_of_any_route_can_be_looked_up() {
    var pool = "pool-" + Api.token();
    var creating = Api.token();
    var made =
        api.post(
            "/v1/pools",
            creating,
            "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":[{\"item\":\"A-1\"}]}".formatted(pool));
    var hold = api.hold(pool, "ann", "A-1");
    var paying = Api.token();
    var refused =
        api.post("/v1/checkouts", paying, "{\"holdId\":\"%s\",\"fence\":1}".formatted(hold.id()));
    var sale = api.confirm(hold, Api.token(), "ann", "order-1");
    var voiding = Api.token();
    var commitment = Http.json(sale).get("commitmentId").asText();
    var voided =
        api.post("/v1/commitments/" + commitment + "/void", voiding, "{\"refund\":\"none\"}");
    api.post("/v1/commitments/" + commitment + "/void", voiding, "{\"refund\":\"none\"}");

    assertThat(made.statusCode()).isEqualTo(201);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    for (var query : List.of("?pool=" + pool, "")) {
      assertTells(query, creating, "create_pool", made);
      assertTells(query, paying, "create_checkout", refused);
      assertTells(query, voiding, "void_commitment", voided);
    }
    assertThat(Http.json(operation(pool, voiding)).get("attempts").asInt()).isEqualTo(2);
    assertThat(operation(api.pool(1), voiding).statusCode()).as("another pool").isEqualTo(404);
    var stranger = api.as("s" + Api.token().substring(0, 8), "hold", "operate");
    assertThat(stranger.get("/v1/operations/" + voiding).statusCode()).isEqualTo(404);
  }

  @Test
  @Requirement("AU-9")
  void a_token_of_several_routes_is_looked_up_by_its_action() {
    var pool = api.pool(1);
    var token = Api.token();
    var placed = api.place(pool, token, "ann", "A-1");
    api.post("/v1/checkouts", token, "{\"holdId\":\"%s\"}".formatted(Api.Hold.of(placed).id()));

    var path = "/v1/operations/" + token + "?pool=" + pool;
    var latest = Http.json(api.get(path));
    var first = Http.json(api.get(path + "&action=place_hold"));

    assertThat(latest.get("action").asText()).isEqualTo("create_checkout");
    assertThat(first.get("action").asText()).isEqualTo("place_hold");
    assertThat(first.get("result").get("body")).isEqualTo(Http.json(placed));
    assertThat(api.get(path + "&action=confirm").statusCode()).isEqualTo(404);
  }

  @Test
  void an_answer_with_a_secret_is_found_without_it() {
    var token = Api.token();
    var made = api.post("/v1/keys", token, "{\"caller\":\"till\",\"scopes\":[\"hold\"]}");

    var known = api.get("/v1/operations/" + token);

    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    assertThat(Http.json(known).get("action").asText()).isEqualTo("create_key");
    assertThat(Http.json(known).get("result").get("status").asInt()).isEqualTo(201);
    assertThat(Http.json(known).get("result").get("body").isNull()).isTrue();
  }

  @Test
  void a_token_is_found_by_its_bytes_and_only_by_its_caller() {
    var pool = api.pool(2);
    api.place(pool, "\"a b/%41?\"", "ann", "A-1");

    assertThat(operation(pool, "a%20b%2F%2541%3F").statusCode()).isEqualTo(200);
    assertThat(operation(pool, "a%20b%2FA%3F").statusCode()).isEqualTo(404);
    var stranger = api.as("s" + Api.token().substring(0, 8), "hold");
    assertThat(stranger.get("/v1/operations/a%20b%2F%2541%3F?pool=" + pool).statusCode())
        .isEqualTo(404);
    assertThat(operation(pool, "never-sent").statusCode()).isEqualTo(404);
    assertThat(api.get("/v1/operations/x").statusCode()).isEqualTo(404);
  }

  /// @param query with the pool, or empty
  private static void assertTells(
      String query, String token, String action, HttpResponse<String> answer) {
    var known = api.get("/v1/operations/" + token + query);
    assertThat(known.statusCode()).as(known.body()).isEqualTo(200);
    JsonNode json = Http.json(known);
    assertThat(json.get("token").asText()).isEqualTo(token);
    assertThat(json.get("action").asText()).isEqualTo(action);
    assertThat(json.get("status").asText()).isEqualTo("DONE");
    assertThat(json.get("result").get("status").asInt()).isEqualTo(answer.statusCode());
    assertThat(json.get("result").get("body")).isEqualTo(Http.json(answer));
    assertThat(json.get("attempts").asInt()).isPositive();
    assertThat(json.get("pool").asText()).isNotEmpty();
  }

  private static HttpResponse<String> operation(String pool, String token) {
    return api.get("/v1/operations/" + token + "?pool=" + pool);
  }
}
