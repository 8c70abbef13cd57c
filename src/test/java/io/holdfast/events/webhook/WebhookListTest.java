package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.Receiver;
import io.holdfast.events.Subscriber;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.Pages;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The list of webhooks.
@ExtendWith(RealServers.class)
class WebhookListTest {
  private static Service service;

  private final Api api = Api.of(service).as("shop-" + Api.token(), "operate", "hold");
  private final Receiver receiver = Receiver.open();

  @BeforeAll
  static void start(TestServers servers) {
    service = Subscriber.service(servers, Map.of());
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void webhooks_are_found_by_their_pool_and_by_whether_they_are_enabled() {
    var ofAll = register("");
    var ofArena = register(",\"pools\":[\"arena\",\"hall\"]");
    var ofHall = register(",\"pools\":[\"hall\"]");
    var paused = register("");
    api.patch("/v1/webhooks/" + paused, Api.token(), "{\"enabled\":false}");

    assertThat(ids("?limit=1")).containsExactly(ofAll, ofArena, ofHall, paused);
    assertThat(ids("?limit=1&pool=arena")).containsExactly(ofAll, ofArena, paused);
    assertThat(ids("?limit=1&enabled=true")).containsExactly(ofAll, ofArena, ofHall);
    assertThat(ids("?enabled=false")).containsExactly(paused);
    assertThat(ids("?limit=1&enabled=true&pool=hall")).containsExactly(ofAll, ofArena, ofHall);
    assertThat(ids("?enabled=true&pool=elsewhere")).containsExactly(ofAll);
    assertThat(Api.code(api.get("/v1/webhooks?enabled=1"))).isEqualTo("invalid-request");
    assertThat(Http.json(api.get("/v1/webhooks?pool=a%20b")).get("field").asText())
        .isEqualTo("pool");
  }

  private String register(String more) {
    var body = "{\"url\":\"%s\",\"types\":[\"hold.confirmed\"]%s}".formatted(receiver.url(), more);
    return Http.json(api.post("/v1/webhooks", Api.token(), body)).get("webhookId").asText();
  }

  private List<String> ids(String query) {
    return Pages.texts(api, "/v1/webhooks" + query, "webhooks", "webhookId");
  }
}
