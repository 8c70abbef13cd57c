package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.PricedPools;
import io.holdfast.events.Receiver;
import io.holdfast.events.Receiver.Request;
import io.holdfast.events.Subscriber;
import io.holdfast.events.Subscriber.Registered;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Webhooks of some pools, their tests, their secrets, and their pauses.
@ExtendWith(RealServers.class)
class WebhookChangeTest {
  private static Service service;
  private static Subscriber subscriber;
  private static Rows rows;

  private final Receiver receiver = Receiver.open();

  @BeforeAll
  static void start(TestServers servers) {
    service = Subscriber.service(servers, Map.of());
    subscriber = Subscriber.of(service);
    rows = Rows.of(servers);
    rows.change("UPDATE webhook SET enabled = false, disabled_why = 'by a test' WHERE enabled");
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
  void a_webhook_of_some_pools_gets_their_events_only() {
    var mine = PricedPools.create(subscriber.api(), "A-1");
    var other = PricedPools.create(subscriber.api(), "A-1");
    var registered = registered("\"hold.placed\",\"hold.confirmed\"", mine);
    try (var everywhere = Receiver.open()) {
      subscriber.register(everywhere, "hold.confirmed");
      subscriber.sell(other, "bob", "A-1");
      Subscriber.awaitRequests(everywhere, 1);
      subscriber.sell(mine, "ann", "A-1");
      Subscriber.awaitRequests(everywhere, 2);
    }

    Await.until(Subscriber.SOON, () -> types(receiver).contains("hold.confirmed"));

    assertThat(receiver.requests())
        .extracting(request -> request.json().path("source").asText())
        .containsOnly("/v1/pools/" + mine);
    assertThat(
            rows.number(
                "SELECT count(*) FROM webhook_lane WHERE webhook_id = ?::bigint AND pool = ?"
                    + " AND seq > 0",
                registered.id(),
                other))
        .as("no position in that pool was reached")
        .isZero();
    assertThat(
            rows.number(
                "SELECT (SELECT count(*) FROM event WHERE pool = ? AND type = 'hold.placed') +"
                    + " (SELECT count(*) FROM event_fresh WHERE pool = ? AND type = 'hold.placed')",
                other,
                other))
        .as("nobody subscribes to them")
        .isZero();
    var shown = Http.json(subscriber.read(registered.id()));
    assertThat(shown.get("pools").toString()).isEqualTo("[\"" + mine + "\"]");
    var replay =
        subscriber.replay(registered.id(), "{\"pool\":\"%s\",\"from\":1}".formatted(other));
    assertThat(Http.json(replay).path("field").asText()).as(replay.body()).isEqualTo("pool");
  }

  @Test
  void a_name_that_no_pool_can_have_is_refused() {
    var body =
        "{\"url\":\"%s\",\"types\":[\"hold.placed\"],\"pools\":[\"a b\"]}"
            .formatted(receiver.url());

    var refused = subscriber.api().post("/v1/webhooks", Api.token(), body);
    var ping = subscriber.create(receiver.url(), "webhook.ping");

    assertThat(Http.json(refused).path("field").asText()).isEqualTo("pools[0]");
    assertThat(Http.json(ping).path("field").asText()).isEqualTo("types[0]");
  }

  @Test
  void a_ping_is_signed_and_its_answer_is_shown_and_a_retry_sends_nothing() {
    var registered = subscriber.register(receiver, "hold.confirmed");
    var path = "/v1/webhooks/" + registered.id() + "/ping";
    var token = Api.token();

    var first = subscriber.api().post(path, token, "");
    var again = subscriber.api().post(path, token, "");

    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    assertThat(Http.json(first).get("outcome").asText()).isEqualTo("DELIVERED");
    assertThat(Http.json(first).get("status").asInt()).isEqualTo(204);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(receiver.requests()).hasSize(1);
    var request = receiver.requests().getFirst();
    assertThat(request.isSignedWith(registered.secret())).isTrue();
    assertThat(request.type()).isEqualTo("webhook.ping");
    assertThat(request.header("webhook-id"))
        .isEqualTo(Http.json(first).get("eventId").asText())
        .isEqualTo(request.json().get("id").asText());
    assertThat(request.json().get("data").get("webhookId").asText()).isEqualTo(registered.id());
  }

  @Test
  void a_ping_reports_a_refusal_and_does_not_disable_the_webhook() {
    var registered = subscriber.register(receiver, "hold.confirmed");
    var path = "/v1/webhooks/" + registered.id() + "/ping";
    receiver.answers(_ -> 500);
    var failed = subscriber.api().post(path, Api.token(), "");
    receiver.answers(_ -> 410);
    var gone = subscriber.api().post(path, Api.token(), "");
    change(registered, false);
    receiver.answers(_ -> 200);
    var whileDisabled = subscriber.api().post(path, Api.token(), "");
    var stranger = subscriber.api().as("other-" + Api.token(), "operate");

    assertThat(Http.json(failed).get("outcome").asText()).isEqualTo("FAILED");
    assertThat(Http.json(failed).get("status").asInt()).isEqualTo(500);
    assertThat(Http.json(gone).get("outcome").asText()).isEqualTo("GONE");
    assertThat(Http.json(whileDisabled).get("outcome").asText()).isEqualTo("DELIVERED");
    assertThat(stranger.post(path, Api.token(), "").statusCode()).isEqualTo(404);
    assertThat(subscriber.api().post("/v1/webhooks/0/ping", Api.token(), "").statusCode())
        .isEqualTo(404);
    assertThat(receiver.requests()).hasSize(3);
  }

  @Test
  void both_secrets_sign_while_they_overlap_and_the_new_one_alone_after_that() {
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = PricedPools.create(subscriber.api(), "A-1", "A-2", "A-3");

    var rotated = rotate(registered, "{\"overlapSeconds\":600}");
    subscriber.sell(pool, "ann", "A-1");
    var both = Subscriber.awaitRequests(receiver, 1).getFirst();
    rows.change(
        "UPDATE webhook SET old_secret_until = clock_timestamp() - interval '1 second'"
            + " WHERE id = ?::bigint",
        registered.id());
    var secret = Http.json(rotated).get("secret").asText();
    Await.until(
        Subscriber.SOON,
        () -> {
          var path = "/v1/webhooks/" + registered.id() + "/ping";
          subscriber.api().post(path, Api.token(), "");
          return !receiver.requests().getLast().isSignedWith(registered.secret());
        });

    assertThat(secret).startsWith("whsec_").isNotEqualTo(registered.secret());
    assertThat(both.header("webhook-signature").split(" ")).hasSize(2);
    assertThat(both.isSignedWith(secret)).isTrue();
    assertThat(both.isSignedWith(registered.secret())).isTrue();
    var last = receiver.requests().getLast();
    assertThat(last.isSignedWith(secret)).isTrue();
    assertThat(last.header("webhook-signature")).doesNotContain(" ");
    assertThat(subscriber.read(registered.id()).body())
        .doesNotContain(secret)
        .doesNotContain(registered.secret());
  }

  @Test
  void a_delivery_that_goes_on_signs_with_the_secret_that_was_made_meanwhile() {
    var registered = subscriber.register(receiver, "hold.confirmed");
    var pool = PricedPools.create(subscriber.api(), "A-1", "A-2");
    var rotated = new AtomicReference<HttpResponse<String>>();
    receiver.answers(
        _ -> {
          if (rotated.get() == null) { // longer than the batch, which has read the old secret
            rotated.set(rotate(registered, "{\"overlapSeconds\":0}"));
            var later = System.nanoTime() + Duration.ofMillis(1_300).toNanos();
            Await.until(Subscriber.SOON, () -> System.nanoTime() > later);
          }
          return 200;
        });
    var first = subscriber.api().hold(pool, "ann", "A-1");
    var second = subscriber.api().hold(pool, "ann", "A-2");
    subscriber.api().confirm(first, Api.token(), "ann", "o-1");
    subscriber.api().confirm(second, Api.token(), "ann", "o-2");

    var requests = Subscriber.awaitRequests(receiver, 2);

    var secret = Http.json(rotated.get()).get("secret").asText();
    assertThat(requests.get(0).isSignedWith(registered.secret())).isTrue();
    assertThat(requests.get(1).isSignedWith(secret)).isTrue();
    assertThat(requests.get(1).isSignedWith(registered.secret())).isFalse();
  }

  @Test
  void a_disabled_webhook_gets_nothing_and_later_all_that_it_has_missed() {
    var registered = subscriber.register(receiver, "hold.confirmed");
    var probe = Receiver.open();
    try (probe) {
      subscriber.register(probe, "hold.confirmed");
      var pool = PricedPools.create(subscriber.api(), "A-1", "A-2");
      var disabled = change(registered, false);
      subscriber.sell(pool, "ann", "A-1");
      subscriber.sell(pool, "ann", "A-2");
      Subscriber.awaitRequests(probe, 2);

      var meanwhile = receiver.requests();
      var enabled = change(registered, true);

      assertThat(Http.json(disabled).get("disabledWhy").asText())
          .isEqualTo("disabled by its owner");
      assertThat(meanwhile).isEmpty();
      assertThat(Http.json(enabled).get("enabled").asBoolean()).isTrue();
      assertThat(Subscriber.awaitRequests(receiver, 2))
          .extracting(Request::sequence)
          .containsExactly(1L, 2L);
    }
  }

  @Test
  void changes_need_a_valid_body_and_a_webhook_of_the_caller() {
    var registered = subscriber.register(receiver, "hold.confirmed");
    var api = subscriber.api();
    var path = "/v1/webhooks/" + registered.id();
    var stranger = api.as("other-" + Api.token(), "operate");

    assertThat(Api.code(api.patch(path, Api.token(), "{}"))).isEqualTo("invalid-request");
    assertThat(Api.code(api.post(path + "/rotate-secret", Api.token(), "{\"overlapSeconds\":-1}")))
        .isEqualTo("invalid-request");
    assertThat(stranger.patch(path, Api.token(), "{\"enabled\":false}").statusCode())
        .isEqualTo(404);
    assertThat(stranger.post(path + "/rotate-secret", Api.token(), "{}").statusCode())
        .isEqualTo(404);
    assertThat(subscriber.isEnabled(registered.id())).isTrue();
  }

  private Registered registered(String types, String pool) {
    var body =
        "{\"url\":\"%s\",\"types\":[%s],\"pools\":[\"%s\"]}".formatted(receiver.url(), types, pool);
    var created = subscriber.api().post("/v1/webhooks", Api.token(), body);
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    var json = Http.json(created);
    return new Registered(json.get("webhookId").asText(), json.get("secret").asText());
  }

  private static List<String> types(Receiver receiver) {
    return receiver.requests().stream().map(Request::type).toList();
  }

  private static HttpResponse<String> rotate(Registered webhook, String body) {
    var path = "/v1/webhooks/" + webhook.id() + "/rotate-secret";
    var rotated = subscriber.api().post(path, Api.token(), body);
    assertThat(rotated.statusCode()).as(rotated.body()).isEqualTo(200);
    return rotated;
  }

  private static HttpResponse<String> change(Registered webhook, boolean isEnabled) {
    var changed =
        subscriber
            .api()
            .patch(
                "/v1/webhooks/" + webhook.id(),
                Api.token(),
                "{\"enabled\":%s}".formatted(isEnabled));
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    return changed;
  }
}
