package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.Pages;
import io.holdfast.testing.RealServers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The list of API keys.
@ExtendWith(RealServers.class)
class KeyListTest {

  @Test
  void a_caller_lists_its_keys_and_those_it_has_made_and_no_key_is_shown(Service service) {
    var api = Api.of(service).as("boss-" + Api.token(), "operate", "hold", "admin");
    var other = Api.of(service).as("other-" + Api.token(), "operate");
    var name = "clerk-" + Api.token();
    var body = "{\"caller\":\"%s\",\"scopes\":[\"hold\"]}".formatted(name);
    var made = Http.json(api.post("/v1/keys", Api.token(), body));
    api.delete("/v1/keys/" + made.get("id").asText(), Api.token());

    var keys = Pages.of(api, "/v1/keys?limit=1", "keys");

    assertThat(keys).hasSize(2);
    var clerk = keys.getLast();
    assertThat(clerk.get("id")).isEqualTo(made.get("id"));
    assertThat(clerk.get("caller").asText()).isEqualTo(name);
    assertThat(clerk.get("scopes").toString()).isEqualTo("[\"hold\"]");
    assertThat(clerk.get("createdBy").asText()).startsWith("boss-");
    assertThat(clerk.get("revokedAt").isNull()).isFalse();
    assertThat(keys.getFirst().get("revokedAt").isNull()).isTrue();
    assertThat(clerk.properties().stream().map(Map.Entry::getKey))
        .containsExactlyElementsOf(
            List.of("id", "caller", "scopes", "createdBy", "createdAt", "revokedAt"));
    assertThat(api.get("/v1/keys").body()).doesNotContain(made.get("key").asText());
    assertThat(Pages.texts(other, "/v1/keys", "keys", "caller")).doesNotContain(name);
    var holder = Api.of(service).as("holder-" + Api.token(), "hold");
    assertThat(holder.get("/v1/keys").statusCode()).isEqualTo(403);
  }

  @Test
  void keys_are_found_by_their_caller_and_by_whether_they_are_revoked(Service service) {
    var boss = "boss-" + Api.token();
    var clerk = "clerk-" + Api.token();
    var api = Api.of(service).as(boss, "operate", "hold", "admin");
    var own = Pages.texts(api, "/v1/keys", "keys", "id");
    var first = make(api, clerk);
    var second = make(api, clerk);
    var third = make(api, clerk);
    api.delete("/v1/keys/" + second, Api.token());

    assertThat(ids(api, "?limit=1&caller=" + clerk)).containsExactly(first, second, third);
    assertThat(ids(api, "?limit=1&revoked=true")).containsExactly(second);
    assertThat(ids(api, "?limit=1&caller=" + clerk + "&revoked=false"))
        .containsExactly(first, third);
    assertThat(ids(api, "?caller=" + boss)).isEqualTo(own).hasSize(1);
    assertThat(ids(api, "?caller=nobody")).isEmpty();
    assertThat(Api.code(api.get("/v1/keys?revoked=yes"))).isEqualTo("invalid-request");
    assertThat(Http.json(api.get("/v1/keys?caller=a%20b")).get("field").asText())
        .isEqualTo("caller");
  }

  private static String make(Api api, String caller) {
    var body = "{\"caller\":\"%s\",\"scopes\":[\"hold\"]}".formatted(caller);
    return Http.json(api.post("/v1/keys", Api.token(), body)).get("id").asText();
  }

  private static List<String> ids(Api api, String query) {
    return Pages.texts(api, "/v1/keys" + query, "keys", "id");
  }
}
