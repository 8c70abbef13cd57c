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

    assertTells(pool, placing, "place_hold", placed);
    assertTells(pool, confirming, "confirm", sale);
    assertTells(pool, refusing, "place_hold", refused);
    Await.until(
        Duration.ofSeconds(20),
        () -> rows.number("SELECT count(*) FROM token_result WHERE pool = ?", pool) == 3);
    assertTells(pool, placing, "place_hold", placed);
    assertTells(pool, refusing, "place_hold", refused);
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
  void a_token_is_found_by_its_bytes_and_only_by_its_caller() {
    var pool = api.pool(2);
    api.place(pool, "\"a b/%41?\"", "ann", "A-1");

    assertThat(operation(pool, "a%20b%2F%2541%3F").statusCode()).isEqualTo(200);
    assertThat(operation(pool, "a%20b%2FA%3F").statusCode()).isEqualTo(404);
    var stranger = api.as("s" + Api.token().substring(0, 8), "hold");
    assertThat(stranger.get("/v1/operations/a%20b%2F%2541%3F?pool=" + pool).statusCode())
        .isEqualTo(404);
    assertThat(operation(pool, "never-sent").statusCode()).isEqualTo(404);
    assertThat(api.get("/v1/operations/x").statusCode()).isEqualTo(400);
  }

  private static void assertTells(
      String pool, String token, String action, HttpResponse<String> answer) {
    var known = operation(pool, token);
    assertThat(known.statusCode()).as(known.body()).isEqualTo(200);
    JsonNode json = Http.json(known);
    assertThat(json.get("token").asText()).isEqualTo(token);
    assertThat(json.get("action").asText()).isEqualTo(action);
    assertThat(json.get("status").asText()).isEqualTo("DONE");
    assertThat(json.get("result").get("status").asInt()).isEqualTo(answer.statusCode());
    assertThat(json.get("result").get("body")).isEqualTo(Http.json(answer));
    assertThat(json.get("attempts").asInt()).isPositive();
  }

  private static HttpResponse<String> operation(String pool, String token) {
    return api.get("/v1/operations/" + token + "?pool=" + pool);
  }
}
