package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.VanishingRows;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The results of calls that sell, reverse sales and change pools are found when their responses
/// were lost.
@ExtendWith(RealServers.class)
class OperationsOfSalesTest {
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  @Requirement("AU-9")
  void an_accepted_checkout_is_found_with_its_id_and_its_void_with_the_answer() {
    var pool = checkouts.pool(1, "{}");
    var paying = Api.token();
    var body = Checkouts.body(api.hold(pool, "ann", "A-1"), "ann", "ok", Checkouts.PRICE);
    var accepted = checkouts.begin(paying, body);
    var checkout = Http.json(accepted).get("checkoutId").asText();
    assertThat(checkouts.awaitState(checkout, "FULFILLED")).isEqualTo("FULFILLED");
    checkouts.begin(paying, body);
    var commitment = checkouts.read(checkout).get("commitmentId").asText();
    var voiding = Api.token();
    var voided =
        api.post("/v1/commitments/" + commitment + "/void", voiding, "{\"refund\":\"full\"}");

    assertThat(accepted.statusCode()).isEqualTo(202);
    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    for (var query : List.of("", "?pool=" + pool)) {
      var known = operation(paying, query, "create_checkout");
      assertThat(known.at("/result/status").asInt()).isEqualTo(202);
      assertThat(known.at("/result/body/checkoutId").asText()).isEqualTo(checkout);
      assertThat(known.get("attempts").asInt()).isEqualTo(2);
      assertTells(voiding, query, "void_commitment", voided);
    }
  }

  @Test
  @Requirement("AU-9")
  void a_compensation_is_found_with_its_answer() {
    var pool = checkouts.pool(1, "{}");
    var hold = api.hold(pool, "ann", "A-1");
    VanishingRows.commitments(rows);
    var sale = api.confirm(hold, Api.token(), "ann", "order-1");
    VanishingRows.noMore(rows);
    var nonce =
        Http.json(
                api.post(
                    "/v1/authorizations",
                    Api.token(),
                    "{\"holdId\":\"%s\",\"operation\":\"compensate\"}".formatted(hold.id())))
            .get("nonce")
            .asText();
    var token = Api.token();
    var path = "/v1/holds/" + hold.id() + "/compensate";
    var undone = api.post(path, token, "{\"nonce\":\"%s\"}".formatted(nonce));

    assertThat(Api.code(sale)).isEqualTo("compensating");
    assertThat(undone.statusCode()).as(undone.body()).isEqualTo(200);
    for (var query : List.of("", "?pool=" + pool)) {
      assertTells(token, query, "compensate_sale", undone);
    }
  }

  @Test
  @Requirement("AU-9")
  void changes_of_a_pool_are_found_with_their_answers() {
    var pool = checkouts.pool(2, "{}");
    var path = "/v1/pools/" + pool;
    var changing = Api.token();
    var changed = api.patch(path, changing, "{\"closed\":true}");
    var adding = Api.token();
    var added = api.post(path + "/items", adding, "{\"items\":[{\"item\":\"B-1\"}]}");
    var blocking = Api.token();
    var blocked =
        api.post(path + "/blocks", blocking, "{\"items\":[\"A-1\"],\"reason\":\"broken\"}");

    assertThat(List.of(changed, added, blocked)).allMatch(answer -> answer.statusCode() < 300);
    assertTells(changing, "?pool=" + pool, "change_pool", changed);
    assertTells(adding, "?pool=" + pool, "add_items", added);
    assertTells(blocking, "?pool=" + pool, "block_items", blocked);
  }

  private static void assertTells(
      String token, String query, String action, HttpResponse<String> answer) {
    var known = operation(token, query, action);
    assertThat(known.at("/result/status").asInt()).isEqualTo(answer.statusCode());
    assertThat(known.at("/result/body")).isEqualTo(Http.json(answer));
    assertThat(known.get("attempts").asInt()).isOne();
  }

  private static JsonNode operation(String token, String query, String action) {
    var known = api.get("/v1/operations/" + token + query);
    assertThat(known.statusCode()).as(known.body()).isEqualTo(200);
    assertThat(Http.json(known).get("action").asText()).isEqualTo(action);
    return Http.json(known);
  }
}
