package io.holdfast.events.privacy;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.access.Caller;
import io.holdfast.access.Issuer;
import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.events.Receiver;
import io.holdfast.events.Subscriber;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// After a shredding the name of the requester is nowhere, and the records still prove the
/// promises.
@ExtendWith(RealServers.class)
class ErasureTest {
  private static final String NAME = "änne.mustermann@example.org";
  private static final String OTHER = "bob.mustermann@example.org";

  /// Append-only, or kept for ever: they never have the name.
  private static final String[] NEVER = {
    "public.consumed_request",
    "public.attempt",
    "public.event",
    "public.reversal",
    "public.authorization_nonce"
  };

  private static TestServers servers;
  private static Service service;
  private static Receiver receiver;
  private static Issuer issuer;
  private static Subscriber subscriber;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    issuer = new Issuer();
    service =
        Subscriber.service(
            servers,
            Map.of(
                "holdfast.demo", "true",
                "holdfast.jwks", issuer.url(),
                "holdfast.unique-key", "a key of values for tests",
                "holdfast.checkout-pause", "20ms",
                "holdfast.checkout-look", "100ms"));
    subscriber = Subscriber.of(service);
    api = subscriber.api();
    rows = Rows.of(servers);
    receiver = Receiver.open();
    subscriber.register(
        receiver,
        "hold.placed",
        "hold.confirmed",
        "hold.released",
        "hold.expired",
        "checkout.fulfilled",
        "checkout.compensated",
        "commitment.voided",
        "auction.closed");
  }

  @AfterAll
  static void stop() {
    receiver.close();
    service.close();
    issuer.close();
  }

  @Test
  @Requirement({"AU-7", "PC-ADV-2", "EC-RU-3"})
  void after_a_shredding_the_name_is_nowhere_and_the_records_prove_the_promises() {
    var life = Life.of(api, NAME);
    var others = Life.of(api, OTHER);
    var search = new NameSearch(servers, NAME);
    Await.until(Subscriber.SOON, () -> isDelivered(NAME));
    awaitSettled();
    var before = search.found();
    assertThat(before.keySet())
        .as("the search finds the name where it may be")
        .contains(
            "table public.hold",
            "table public.commitment",
            "table public.checkout",
            "table public.ticket",
            "table public.admission",
            "table public.token_result",
            "table public.request_result",
            "table public.person_key",
            "key {p}:meta");
    assertThat(before.keySet()).anyMatch(key -> key.startsWith("key {p}:tok:"));
    for (var table : NEVER) {
      assertThat(before).doesNotContainKey("table " + table);
    }
    assertThat(before.keySet()).noneMatch(key -> key.startsWith("table public.journal"));

    var shredded = shred(NAME);

    assertThat(shredded.statusCode()).as(shredded.body()).isEqualTo(200);
    assertThat(Http.json(shredded).get("subject").asText()).isEqualTo(NAME);
    assertThat(search.found()).isEmpty();
    assertAllPromisesHold();
    assertThat(new NameSearch(servers, OTHER).found()).isNotEmpty();
    others.retry((call, first, again) -> assertThat(again.body()).as(call).isEqualTo(first.body()));
    life.retry(
        (call, first, again) ->
            assertThat(again.statusCode()).as(call + again.body()).isEqualTo(first.statusCode()));
    assertThat(search.found()).as("after the retries").isEmpty();
    assertAllPromisesHold();
  }

  @Test
  @Requirement("AU-7")
  void a_consumed_logical_key_stays_consumed_after_its_buyer_was_shredded() {
    var name = "celine.mustermann@example.org";
    var pool = new Checkouts(api).pool(3, "{}");
    var key = ",\"logicalKey\":\"the cart of " + name + "\"";
    var sold = api.hold(pool, name, "A-1");
    var token = Api.token();
    var first = api.confirm(sold, token, name, "order-1", key);
    awaitSettled();
    assertThat(shred(name).statusCode()).isEqualTo(200);

    var next = api.hold(pool, name, "A-2");
    var again = api.confirm(next, Api.token(), name, "order-1", key);
    var byOther = api.confirm(api.hold(pool, OTHER, "A-3"), Api.token(), OTHER, "order-9", key);
    var sameHold = api.confirm(sold, Api.token(), name, "order-1", key);
    var sameToken = api.confirm(sold, token, name, "order-1", key);

    assertThat(Api.code(again)).isEqualTo("replay-duplicate");
    assertThat(Api.code(byOther)).isEqualTo("replay-duplicate");
    assertThat(Api.code(sameHold)).as("the buyer is not known any more").isEqualTo("not-held");
    assertThat(sameToken.statusCode()).as(sameToken.body()).isEqualTo(first.statusCode());
    assertThat(Api.isReplay(sameToken)).isTrue();
    assertAllPromisesHold();
  }

  @Test
  @Requirement("AU-7")
  void a_person_who_returns_gets_another_pseudonym_and_can_be_shredded_again() {
    var name = "doris.mustermann@example.org";
    var pool = new Checkouts(api).pool(2, "{}");
    var first = subscriber.sell(pool, name, "A-1");
    awaitSettled();
    shred(name);
    var second = subscriber.sell(pool, name, "A-2");
    awaitSettled();

    var pseudonyms =
        rows.texts(
            "SELECT DISTINCT pseudonym FROM hold WHERE hold_id IN (?, ?)", first.id(), second.id());
    assertThat(pseudonyms).hasSize(2).allMatch(each -> each.startsWith("p:"));
    assertThat(shred(name).statusCode()).isEqualTo(200);

    assertThat(new NameSearch(servers, name).found()).isEmpty();
    assertThat(
            rows.number(
                "SELECT count(*) FROM person_key WHERE pseudonym = ANY (?)", array(pseudonyms)))
        .as("the way from the name to the pseudonym")
        .isZero();
    assertAllPromisesHold();
  }

  @Test
  @Requirement("AU-7")
  void an_answer_that_was_kept_longer_than_its_window_loses_the_name_too() {
    var name = "gerda.mustermann@example.org";
    subscriber.sell(new Checkouts(api).pool(1, "{}"), name, "A-1");
    awaitSettled();
    TaskControl.pause(service.context().getBean(PeriodicTasks.class), "idempotency-purge");
    rows.change(
        """
        INSERT INTO request_result (caller, route, token_hash, digest, digest_function, status,
                                    body, recorded_at, window_end)
        VALUES ('operator', 'void_commitment', sha256('elapsed'), 'd', '1', 200,
                convert_to(?, 'UTF8'), now() - interval '9 days', now() - interval '8 days')
        """,
        "{\"requester\":\"" + name + "\"}");
    assertThat(new NameSearch(servers, name).found()).containsKey("table public.request_result");

    assertThat(shred(name).statusCode()).isEqualTo(200);

    assertThat(new NameSearch(servers, name).found()).isEmpty();
  }

  @Test
  @Requirement("AU-7")
  void a_limit_per_person_counts_sales_under_the_pseudonym_after_a_shredding() {
    var name = "hanna.mustermann@example.org";
    var pool = new Checkouts(api).pool(3, "{\"maxItemsPerRequester\":2}");
    var sold = subscriber.sell(pool, name, "A-1");
    awaitSettled();
    assertThat(shred(name).statusCode()).isEqualTo(200);
    var pseudonym =
        rows.texts("SELECT requester FROM hold WHERE hold_id = ?", sold.id()).getFirst();

    var asPseudonym = api.place(pool, Api.token(), pseudonym, "A-2", "A-3");
    var again = api.place(pool, Api.token(), name, "A-2", "A-3");

    assertThat(Api.code(asPseudonym)).isEqualTo("hold-limit");
    assertThat(again.statusCode()).as(again.body()).isEqualTo(201);
  }

  @Test
  @Requirement("AU-7")
  void a_person_with_an_unfinished_hold_is_not_shredded() {
    var name = "emil.mustermann@example.org";
    var pool = new Checkouts(api).pool(2, "{}");
    awaitSettled();
    var hold = api.hold(pool, name, "A-1");

    Await.until(Subscriber.SOON, () -> Api.code(shred(name)).equals("subject-active"));

    api.release(hold.id(), Api.token(), name);
    assertThat(shred(name).statusCode()).isEqualTo(200);
    assertThat(new NameSearch(servers, name).found()).isEmpty();
  }

  @Test
  @Requirement("AU-7")
  void a_person_with_a_jwt_is_shredded_together_with_their_values() {
    var name = "frida.mustermann@example.org";
    var frida = new Api(service.http(), Issuer.token(name, "hold commit"));
    var type = "type-" + UUID.randomUUID();
    reserve(api, type, "somebody@else.example");
    var confirmed = reserve(frida, type, name);
    var path = "/v1/reservations/" + confirmed;
    var entity = "{\"entityId\":\"user %s\"}".formatted(name);
    assertThat(frida.post(path + "/confirm", Api.token(), entity).statusCode()).isEqualTo(200);
    var released = "/v1/reservations/" + reserve(frida, type, name + ".net") + "/release";
    var token = Api.token();
    assertThat(frida.post(released, token, "{}").statusCode()).isEqualTo(200);
    awaitSettled();

    var path2 = "/v1/subjects/" + name + "/shred";
    var report = api.post(path2, Api.token(), "{\"caller\":\"~%s\"}".formatted(name));

    assertThat(report.statusCode()).as(report.body()).isEqualTo(200);
    assertThat(Http.json(report).get("holds").asInt()).isEqualTo(2);
    assertThat(new NameSearch(servers, name).of(Caller.nameOf(name)).found()).isEmpty();
    assertThat(Api.isReplay(frida.post(released, token, "{}"))).isTrue();
    assertThat(
            Http.json(frida.post("/v1/reservations", Api.token(), value(type, name)))
                .get("code")
                .asText())
        .as("the value stays given")
        .isEqualTo("already-reserved");
    assertAllPromisesHold();
  }

  private static String reserve(Api caller, String type, String value) {
    var reserved = caller.post("/v1/reservations", Api.token(), value(type, value));
    assertThat(reserved.statusCode()).as(reserved.body()).isEqualTo(201);
    return Http.json(reserved).get("reservationId").asText();
  }

  private static String value(String type, String value) {
    return "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":300000,\"correlationId\":\"of %s\"}"
        .formatted(type, value, value);
  }

  private static boolean isDelivered(String name) {
    return receiver.requests().stream()
        .anyMatch(each -> each.type().equals("commitment.voided") && each.body().contains(name));
  }

  private static void awaitSettled() {
    Await.until(Subscriber.SOON, () -> rows.number("SELECT count(*) FROM outbox") == 0);
    Await.until(
        Subscriber.SOON,
        () -> rows.number("SELECT count(*) FROM checkout WHERE ended_at IS NULL") == 0);
  }

  private static HttpResponse<String> shred(String subject) {
    var path = URLEncoder.encode(subject, StandardCharsets.UTF_8);
    return api.post("/v1/subjects/" + path + "/shred", Api.token(), "{}");
  }

  private static Object array(List<String> texts) {
    return texts.toArray(String[]::new);
  }

  private static void assertAllPromisesHold() {
    var report = Http.json(api.get("/v1/audit/report"));
    assertThat(report.path("ok").asBoolean()).as(report.toPrettyString()).isTrue();
    for (var id : new String[] {"P1", "P2", "P3", "P5-ITEM", "P8", "PC-INV-5", "DRIFT-3"}) {
      assertThat(report.get("checks"))
          .as(id)
          .anyMatch(
              check ->
                  check.get("id").asText().equals(id) && check.get("violations").asLong() == 0);
    }
  }
}
