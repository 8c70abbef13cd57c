package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Only a maker with the scope `admin` makes and revokes keys of other callers.
@ExtendWith(RealServers.class)
class KeysOfOtherCallersTest {
  private static final String SHOP = "{\"caller\":\"shop\",\"scopes\":[\"hold\"]}";

  private static Issuer issuer;
  private static Service service;
  private static Keys keys;

  @BeforeAll
  static void start(TestServers servers) {
    issuer = new Issuer();
    service = RealServers.start(servers, Map.of("holdfast.jwks", issuer.url()));
    keys = new Keys(service.http());
  }

  @AfterAll
  static void stop() {
    service.close();
    issuer.close();
  }

  @Test
  @Requirement("AU-22")
  void a_key_without_admin_makes_keys_for_its_own_caller_only() {
    var shop = keys.made("shop", "hold", "operate").key();
    var other = keys.made("other", "hold", "operate").key();

    assertThat(keys.make(shop, Keys.aToken(), SHOP).statusCode()).isEqualTo(201);
    assertForbidden(keys.make(other, Keys.aToken(), SHOP));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shop", "operator", "ann"})
  @Requirement("AU-22")
  void a_jwt_with_operate_makes_no_key_for_a_server(String caller) {
    var ann = Issuer.token("ann", "hold commit operate audit");

    assertForbidden(keys.make(ann, Keys.aToken(), SHOP.replace("shop", caller)));
  }

  @Test
  @Requirement("AU-22")
  void a_jwt_with_admin_makes_and_revokes_keys_of_others() {
    var root = Issuer.token("root", "hold operate admin");

    var made = keys.make(root, Keys.aToken(), SHOP);

    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    var id = Http.json(made).get("id").asText();
    assertThat(keys.revoke(root, Keys.aToken(), id).statusCode()).isEqualTo(200);
    assertThat(keys.hold(Http.json(made).get("key").asText()).statusCode()).isEqualTo(401);
  }

  @Test
  @Requirement("AU-22")
  void a_key_without_admin_revokes_keys_of_its_own_caller_only() {
    var mine = keys.made("shop", "hold");
    var foreign = keys.made("victim", "hold");
    var shop = keys.made("shop", "operate").key();
    var ann = Issuer.token("ann", "operate");

    assertUnknown(keys.revoke(shop, Keys.aToken(), foreign.id()));
    assertUnknown(keys.revoke(ann, Keys.aToken(), foreign.id()));
    assertThat(keys.hold(foreign.key()).statusCode()).isEqualTo(200);
    assertThat(keys.revoke(shop, Keys.aToken(), mine.id()).statusCode()).isEqualTo(200);
    assertThat(keys.hold(mine.key()).statusCode()).isEqualTo(401);
  }

  @Test
  @Requirement("AU-22")
  void a_refused_revocation_leaves_the_key_in_memory_where_it_works_without_postgres() {
    var foreign = keys.made("victim", "hold");
    var cache = service.context().getBean(ApiKeyCache.class);
    var hash = ApiKeyHash.of(foreign.key());
    var id = Long.parseLong(foreign.id());

    cache.remove(id, new Caller("shop", EnumSet.of(Scope.OPERATE)));
    assertThat(cache.find(hash)).isNotNull();

    cache.remove(id, new Caller("root", EnumSet.of(Scope.ADMIN)));
    assertThat(cache.find(hash)).isNull();
  }

  @Test
  @Requirement("AU-22")
  void nobody_makes_an_admin_who_is_none() {
    var shop = keys.made("shop", "operate", "hold").key();

    var refused = keys.make(shop, Keys.aToken(), SHOP.replace("\"hold\"", "\"admin\""));

    assertForbidden(refused);
    assertThat(Http.json(refused).get("detail").asText()).contains("scope admin");
  }

  @Test
  @Requirement("AU-22")
  void a_refusal_is_not_stored_and_no_other_key_of_the_caller_replays_what_an_admin_made() {
    var token = Keys.aToken();
    var admin = keys.made("ops", "hold", "operate", "admin").key();
    var plain = keys.made("ops", "hold", "operate").key();

    assertForbidden(keys.make(plain, token, SHOP));
    assertThat(keys.make(admin, token, SHOP).statusCode()).isEqualTo(201);
    assertForbidden(keys.make(plain, token, SHOP));
  }

  private static void assertForbidden(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(403);
    assertThat(Http.json(response).get("code").asText()).isEqualTo("forbidden");
  }

  private static void assertUnknown(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(404);
    assertThat(Http.json(response).get("code").asText()).isEqualTo("not-known");
  }
}
