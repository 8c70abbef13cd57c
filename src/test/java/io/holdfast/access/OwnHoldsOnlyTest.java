package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A caller with a JWT acts for its subject only.
@ExtendWith(RealServers.class)
class OwnHoldsOnlyTest {
  private static final String SCOPES = "hold commit";

  private static Issuer issuer;
  private static Service service;
  private static Api operator;
  private static Api ann;
  private static Api ben;

  @BeforeAll
  static void start(TestServers servers) {
    issuer = new Issuer();
    service =
        RealServers.start(servers, Map.of("holdfast.jwks", issuer.url(), "holdfast.demo", "true"));
    operator = Api.of(service);
    ann = new Api(service.http(), Issuer.token("ann", SCOPES));
    ben = new Api(service.http(), Issuer.token("ben", SCOPES));
  }

  @AfterAll
  static void stop() {
    service.close();
    issuer.close();
  }

  @Test
  void a_subject_places_extends_buys_and_releases_its_own_holds() {
    var pool = operator.pool(2);
    var bought = ann.hold(pool, "ann", "A-1");
    var given = ann.hold(pool, "ann", "A-2");

    assertThat(ann.heartbeat(bought.id(), "ann", bought.fence()).statusCode()).isEqualTo(200);
    assertThat(ann.confirm(bought, Api.token(), "ann", "o-1").statusCode()).isEqualTo(200);
    assertThat(ann.release(given.id(), Api.token(), "ann").statusCode()).isEqualTo(200);
    assertThat(ann.read(bought.id()).statusCode()).isEqualTo(200);
  }

  @Test
  void nothing_can_be_done_in_the_name_of_another() {
    var pool = operator.pool(2);
    var hold = ann.hold(pool, "ann", "A-1");

    assertNotYours(ann.place(pool, Api.token(), "ben", "A-2"));
    assertNotYours(ann.heartbeat(hold.id(), "ben", hold.fence()));
    assertNotYours(ann.release(hold.id(), Api.token(), "ben"));
    assertNotYours(ann.confirm(hold, Api.token(), "ben", "o-1"));
    assertNotYours(checkout(ann, hold, "ben"));
    assertThat(operator.counts(pool)).isEqualTo("1 free, 1 held");
  }

  @Test
  void such_a_refusal_is_not_kept_under_the_token() {
    var pool = operator.pool(1);
    var token = Api.token();
    assertNotYours(ann.place(pool, token, "ben", "A-1"));

    assertThat(ann.place(pool, token, "ann", "A-1").statusCode()).isEqualTo(201);
  }

  @Test
  void the_holds_of_another_subject_are_not_known() {
    var pool = operator.pool(2);
    var hers = ann.hold(pool, "ann", "A-1");
    var ofAShop = operator.hold(pool, "ben", "A-2");

    for (var foreign : new Api.Hold[] {hers, ofAShop}) {
      assertThat(ben.read(foreign.id()).statusCode()).isEqualTo(404);
      assertThat(ben.heartbeat(foreign.id(), "ben", foreign.fence()).statusCode()).isEqualTo(404);
      assertThat(ben.release(foreign.id(), Api.token(), "ben").statusCode()).isEqualTo(404);
      assertThat(ben.confirm(foreign, Api.token(), "ben", "o").statusCode()).isEqualTo(404);
      assertThat(checkout(ben, foreign, "ben").statusCode()).isEqualTo(404);
    }
    assertThat(Http.json(ben.get("/v1/pools/" + pool + "/holds")).get("holds")).isEmpty();
    assertThat(Http.json(ann.get("/v1/pools/" + pool + "/holds")).get("holds")).hasSize(1);
    assertThat(operator.counts(pool)).isEqualTo("0 free, 2 held");
  }

  @Test
  void equal_tokens_of_two_people_are_two_tokens() {
    var pool = operator.pool(2);
    var token = Api.token();

    var hers = ann.place(pool, token, "ann", "A-1");
    var his = ben.place(pool, token, "ben", "A-2");

    assertThat(hers.statusCode()).isEqualTo(201);
    assertThat(his.statusCode()).isEqualTo(201);
    assertThat(ann.place(pool, token, "ann", "A-1").body()).isEqualTo(hers.body());
    assertThat(ben.get("/v1/operations/" + token + "?pool=" + pool).body()).contains("\"ben\"");
  }

  @Test
  void another_token_of_the_same_person_is_the_same_caller() {
    var pool = operator.pool(1);
    var token = Api.token();
    var first = ann.place(pool, token, "ann", "A-1");
    var again = new Api(service.http(), Issuer.token("ann", "openid " + SCOPES));

    assertThat(again.place(pool, token, "ann", "A-1").body()).isEqualTo(first.body());
  }

  /// In Redis the names of callers and tokens are divided by colons.
  @Test
  void a_subject_of_any_form_is_a_caller_of_its_own() {
    var pool = operator.pool(3);
    var longer = new Api(service.http(), Issuer.token("ann:x", SCOPES));
    var strange = new Api(service.http(), Issuer.token("Ännchen\u2028|\u00a0", SCOPES));
    var key = operator.as("ann", "hold");

    assertThat(ann.place(pool, "x:y", "ann", "A-1").statusCode()).isEqualTo(201);
    assertThat(longer.place(pool, "y", "ann:x", "A-2").statusCode()).isEqualTo(201);
    assertThat(key.place(pool, "x:y", "ann", "A-3").statusCode()).isEqualTo(201);
    assertThat(Api.code(strange.place(pool, "y", "Ännchen\u2028|\u00a0", "A-3")))
        .isEqualTo("resource-unavailable");
  }

  private static HttpResponse<String> checkout(Api api, Api.Hold hold, String requester) {
    var payment =
        "{\"provider\":\"simulator\",\"method\":\"ok\",\"amountCents\":100,\"currency\":\"EUR\"}";
    return api.post(
        "/v1/checkouts",
        Api.token(),
        "{\"holdId\":\"%s\",\"requester\":\"%s\",\"fence\":%d,\"payment\":%s}"
            .formatted(hold.id(), requester, hold.fence(), payment));
  }

  private static void assertNotYours(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
    assertThat(Api.code(answer)).isEqualTo("not-yours");
  }
}
