package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.PricedPools;
import io.holdfast.events.Receiver;
import io.holdfast.events.Subscriber;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Invalid registrations are refused, and no webhook makes the service call a private network.
@ExtendWith(RealServers.class)
class WebhookRegistrationTest {
  private static final String PUBLIC = "https://203.0.113.10/hook";

  private static Subscriber subscriber;
  private static Rows rows;

  @BeforeAll
  static void connect(TestServers servers, Service service) {
    subscriber = Subscriber.of(service);
    rows = Rows.of(servers);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "url | {\"types\":[\"hold.placed\"]}",
        "url | {\"url\":7,\"types\":[\"hold.placed\"]}",
        "url | {\"url\":\"not a url\",\"types\":[\"hold.placed\"]}",
        "url | {\"url\":\"/hook\",\"types\":[\"hold.placed\"]}",
        "url | {\"url\":\"ftp://203.0.113.10/\",\"types\":[\"hold.placed\"]}",
        "url | {\"url\":\"http://203.0.113.10/\",\"types\":[\"hold.placed\"]}",
        "url | {\"url\":\"https://a:b@203.0.113.10/\",\"types\":[\"hold.placed\"]}",
        "url | {\"url\":\"https://203.0.113.10/#x\",\"types\":[\"hold.placed\"]}",
        "url | {\"url\":\"https://203.0.113.10:0/\",\"types\":[\"hold.placed\"]}",
        "types | {\"url\":\"https://203.0.113.10/\"}",
        "types | {\"url\":\"https://203.0.113.10/\",\"types\":[]}",
        "types[1] | {\"url\":\"https://203.0.113.10/\",\"types\":[\"hold.placed\",\"hold.lost\"]}",
        "types[1] |"
            + " {\"url\":\"https://203.0.113.10/\",\"types\":[\"hold.placed\",\"hold.placed\"]}",
        "secret | {\"url\":\"https://203.0.113.10/\",\"types\":[\"hold.placed\"],\"secret\":\"x\"}"
      })
  void an_invalid_field_is_refused_by_its_name(String field, String body) {
    var count = count();

    var refused = subscriber.api().post("/v1/webhooks", Api.token(), body);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(Http.json(refused).path("field").asText()).isEqualTo(field);
    assertThat(count()).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "127.0.0.1",
        "2130706433",
        "10.1.2.3",
        "172.31.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "[::1]",
        "[fe80::1]",
        "[fd00::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::10.0.0.1]",
        "[2002:7f00:1::]",
        "224.0.0.1",
        "255.255.255.255"
      })
  void an_address_in_a_private_network_is_forbidden(String host) {
    var count = count();

    var refused = subscriber.create("https://" + host + "/hook", "hold.placed");

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(422);
    assertThat(Api.code(refused)).isEqualTo("forbidden-address");
    assertThat(Http.json(refused).path("field").asText()).isEqualTo("url");
    assertThat(count()).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"203.0.113.10", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "100.128.0.1"})
  void a_public_address_is_public(String host) throws UnknownHostException {
    assertThat(PublicAddressResolver.isPublic(InetAddress.getByName(host))).isTrue();
  }

  /// As after a DNS change: the host was public when it was registered.
  @Test
  void the_address_is_checked_again_at_every_delivery() {
    try (var receiver = Receiver.open()) {
      var url = receiver.url().replace("127.0.0.1", "localhost");
      var sql =
          """
          INSERT INTO webhook (caller, url, types, secret)
          VALUES ('operator', ?, '{hold.confirmed}', 'whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0')
          RETURNING id
          """;
      var id = rows.texts(sql, url).getFirst();

      subscriber.sell(PricedPools.create(subscriber.api(), "A-1"), "anna", "A-1");

      var log = "/v1/webhooks/" + id + "/deliveries";
      Await.until(
          Subscriber.SOON, () -> !Http.json(subscriber.api().get(log)).get("deliveries").isEmpty());
      assertThat(subscriber.api().get(log).body()).contains("FAILED", "not public");
      assertThat(receiver.requests()).isEmpty();
    }
  }

  @Test
  void only_the_response_to_the_registration_shows_the_secret() {
    var token = Api.token();

    var created = subscriber.createWithToken(token, PUBLIC, "checkout.stuck");
    var again = subscriber.createWithToken(token, PUBLIC, "checkout.stuck");

    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(created.body()).contains("whsec_");
    assertThat(Api.isReplay(again)).isTrue();
    var id = Http.json(created).get("webhookId").asText();
    assertThat(subscriber.read(id).body()).doesNotContain("whsec_").contains("checkout.stuck");
    assertThat(subscriber.api().get("/v1/webhooks").body()).doesNotContain("whsec_");
  }

  @Test
  void a_webhook_is_visible_only_to_its_owner_until_it_is_deleted() {
    var id = Http.json(subscriber.create(PUBLIC, "checkout.stuck")).get("webhookId").asText();
    var stranger = new Subscriber(subscriber.api().as("stranger", "operate"));
    var bystander = new Subscriber(subscriber.api().as("bystander", "hold", "commit"));

    assertThat(stranger.read(id).statusCode()).isEqualTo(404);
    assertThat(stranger.replay(id, "{}").statusCode()).isEqualTo(404);
    assertThat(delete(stranger, id)).isEqualTo(404);
    assertThat(bystander.create(PUBLIC, "checkout.stuck").statusCode()).isEqualTo(403);
    assertThat(subscriber.isEnabled(id)).isTrue();
    assertThat(delete(subscriber, id)).isEqualTo(200);
    assertThat(subscriber.read(id).statusCode()).isEqualTo(404);
    assertThat(delete(subscriber, id)).isEqualTo(404);
  }

  @Test
  void an_invalid_replay_is_refused() {
    var id = Http.json(subscriber.create(PUBLIC, "checkout.stuck")).get("webhookId").asText();
    var pool = subscriber.api().pool(1);

    for (var body :
        new String[] {
          "{\"pool\":\"p\"}",
          "{\"from\":1}",
          "{\"pool\":\"p\",\"from\":0}",
          "{\"pool\":\"%s\",\"from\":9}".formatted(pool),
          "{\"since\":1}"
        }) {
      assertThat(subscriber.replay(id, body).statusCode()).as(body).isEqualTo(400);
    }
    assertThat(Api.code(subscriber.replay(id, "{\"pool\":\"p\",\"from\":1}")))
        .isEqualTo("not-known");
  }

  @Test
  void schemas_are_public_and_events_need_a_key() {
    var base = subscriber.api().base();

    assertThat(Http.get(base, "/v1/event-types/hold.confirmed/1.0.0").statusCode()).isEqualTo(200);
    assertThat(Http.get(base, "/v1/event-types/hold.confirmed/9.9.9").statusCode()).isEqualTo(404);
    assertThat(Http.get(base, "/v1/event-types/hold.confirmed/x").statusCode()).isEqualTo(404);
    assertThat(Http.get(base, "/v1/pools/p/events").statusCode()).isEqualTo(401);
    assertThat(subscriber.api().get("/v1/pools/p/events/1").statusCode()).isEqualTo(404);
    assertThat(Api.code(subscriber.api().get("/v1/pools/p/events"))).isEqualTo("not-known");
  }

  private static int delete(Subscriber who, String id) {
    return Http.delete(
            who.api().base(),
            "/v1/webhooks/" + id,
            "Authorization",
            "Bearer " + who.api().key(),
            "Idempotency-Key",
            Api.token())
        .statusCode();
  }

  private static long count() {
    return rows.number("SELECT count(*) FROM webhook");
  }
}
