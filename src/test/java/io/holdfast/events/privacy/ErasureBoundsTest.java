package io.holdfast.events.privacy;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.events.EventJson;
import io.holdfast.events.Subscriber;
import io.holdfast.subject.DataSubject;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.micronaut.json.JsonMapper;
import io.micronaut.serde.annotation.Serdeable;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A shredding finds all that is about the person, and changes nothing else.
@ExtendWith(RealServers.class)
class ErasureBoundsTest {
  private static final String SEAL = "1." + "s".repeat(22);

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    service =
        Subscriber.service(
            servers,
            Map.of(
                "holdfast.demo", "true",
                "holdfast.checkout-pause", "20ms",
                "holdfast.checkout-look", "100ms"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void a_checkout_id_that_contains_the_name_still_leads_from_the_sale_to_its_payment() {
    var pool = checkouts.pool(2, "{}");
    var name = pool;
    var paid = api.hold(pool, name, "A-1");
    assertThat(checkouts.pay(paid, name, "ok", Checkouts.PRICE).statusCode()).isEqualTo(200);
    var ordered = api.hold(pool, name, "A-2");
    assertThat(api.confirm(ordered, Api.token(), name, "of " + name).statusCode()).isEqualTo(200);
    awaitSettled();

    assertThat(shred(name).statusCode()).isEqualTo(200);

    assertThat(order(paid)).startsWith("co~" + pool);
    assertThat(order(ordered)).as("a text of the caller").startsWith("sha256:");
    var report = Http.json(api.get("/v1/audit/report"));
    assertThat(report.path("ok").asBoolean()).as(report.toPrettyString()).isTrue();
  }

  @Test
  void the_event_of_a_void_names_the_checkout_as_the_event_of_the_sale_does() {
    var pool = checkouts.pool(1, "{}");
    var hold = api.hold(pool, pool, "A-1");
    assertThat(checkouts.pay(hold, pool, "ok", Checkouts.PRICE).statusCode()).isEqualTo(200);

    var body = "{\"refund\":\"full\"}";
    var voided = api.post("/v1/commitments/cm~" + hold.id() + "/void", Api.token(), body);

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    Await.until(
        Subscriber.SOON,
        () ->
            rows.number(
                    "SELECT count(*) FROM event WHERE pool = ? AND type = 'commitment.voided'",
                    pool)
                == 1);
    var event =
        rows.texts("SELECT data FROM event WHERE pool = ? AND type = 'commitment.voided'", pool);
    assertThat(event.getFirst()).contains("\"orderId\":\"co~" + pool);
  }

  @Test
  void answers_that_only_contain_a_short_name_are_not_read() {
    storeMany("create_checkout", "{\"checkoutId\":\"co~arena~%s\"}");
    storeMany("void_commitment", "{\"commitmentId\":\"cm~arena~%1$s\",\"holdId\":\"arena~%1$s\"}");
    var about = store("operator", "resume_checkout", "{\"requester\":\"e\"}");
    var others =
        "SELECT md5(string_agg(body, '' ORDER BY token_hash)) FROM request_result"
            + " WHERE token_hash <> decode(?, 'hex')";
    var before = rows.texts(others, about);
    var walked =
        rows.number(
            "SELECT count(*) FROM request_result WHERE route NOT IN"
                + " ('create_checkout', 'create_authorization', 'append_stream')");

    var walk = answers().redact(erasure("e", Instant.now()));

    assertThat(walk.rows()).isEqualTo(walked);
    assertThat(walk.parts()).isEqualTo(walked / 500 + 1);
    assertThat(walk.bodies()).isOne();
    assertThat(walk.replaced()).isOne();
    assertThat(answer(about)).isEqualTo("{\"requester\":\"shredded:0\"}");
    assertThat(rows.texts(others, about)).isEqualTo(before);
  }

  @Test
  void an_answer_is_found_in_whatever_form_the_name_stands_in_it() throws IOException {
    for (var name : List.of("quote\"back\\slash", "smile \uD83D\uDE00", "änne/ñ")) {
      var json = service.context().getBean(JsonMapper.class);
      var written = new String(json.writeValueAsBytes(new Named(name)), StandardCharsets.UTF_8);
      var given = store("operator", "resume_checkout", written);
      var rewritten = EventJson.write(Map.of("requester", name));
      var again = store("operator", "resume_checkout", rewritten);

      answers().redact(erasure(name, Instant.now()));

      assertThat(answer(given)).as(written).isEqualTo("{\"requester\":\"shredded:0\"}");
      assertThat(answer(again)).as(rewritten).isEqualTo("{\"requester\":\"shredded:0\"}");
    }
  }

  @Serdeable
  record Named(String requester) {}

  @Test
  void an_answer_to_a_person_who_has_returned_keeps_the_name() {
    var name = "returned-" + UUID.randomUUID();
    var later = store("operator", "resume_checkout", "{\"requester\":\"" + name + "\"}");

    answers().redact(erasure(name, Instant.now().minusSeconds(60)));

    assertThat(answer(later)).contains(name);
  }

  @Test
  void a_shredding_leaves_the_answers_of_another_caller_about_a_namesake() {
    var pool = checkouts.pool(2, "{}");
    var name = "namesake-" + UUID.randomUUID();
    var shop = api.as("shop", "hold");
    var theirs = released(shop, pool, name, "A-1");
    var ours = released(api, pool, name, "A-2");
    awaitSettled();
    var ownAnswer = store("shop", "resume_checkout", checkout(theirs, name));
    var resumed = store("operator", "resume_checkout", checkout(theirs, name));
    var ticket = store("operator", "revoke_pass", "{\"ticket\":\"" + ticket(pool, name) + "\"}");
    var nameless = store("shop", "resume_checkout", "{\"requester\":\"" + name + "\"}");
    var mine = store("third", "resume_checkout", checkout(ours, name));

    assertThat(shred(name).statusCode()).isEqualTo(200);

    assertThat(answer(ownAnswer)).isEqualTo(checkout(theirs, name));
    assertThat(answer(resumed)).isEqualTo(checkout(theirs, name));
    assertThat(answer(ticket)).contains(ticket(pool, name));
    assertThat(answer(nameless)).contains(name);
    assertThat(answer(mine)).doesNotContain(name).contains("\"requester\":\"shredded:");
  }

  @Test
  void a_checkout_that_started_during_a_shredding_is_found_by_the_next_one() {
    var pool = checkouts.pool(1, "{}");
    var name = "late-" + UUID.randomUUID();
    var hold = api.hold(pool, name, "A-1");
    assertThat(checkouts.pay(hold, name, "ok", Checkouts.PRICE).statusCode()).isEqualTo(200);
    awaitSettled();
    assertThat(shred(name).statusCode()).isEqualTo(200);
    rows.change(
        "SET session_replication_role = replica;"
            + " UPDATE checkout SET requester = ? WHERE hold_id = ?",
        name,
        hold.id());

    var again = shred(name);

    assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
    assertThat(new NameSearch(servers, name).found()).isEmpty();
  }

  @Test
  void the_start_of_a_checkout_of_a_bid_waits_for_a_shredding() throws SQLException {
    var name = "winner-" + UUID.randomUUID();
    var bid = won(name);
    var token = Api.token();
    var body = Checkouts.body(bid, name, "ok", 500);
    try (var shredding = servers.connection()) {
      shredding.setAutoCommit(false);
      try (var lock =
          shredding.prepareStatement("SELECT 1 FROM person_key WHERE person_hash = ? FOR UPDATE")) {
        lock.setBytes(1, new DataSubject("operator", name).hash());
        assertThat(lock.executeQuery().next()).isTrue();
      }

      assertThat(checkouts.begin(token, body).statusCode()).isEqualTo(503);
    }

    var started = checkouts.begin(token, body, "Prefer", "wait=30");
    assertThat(started.statusCode()).as(started.body()).isEqualTo(200);
    awaitSettled();
    assertThat(shred(name).statusCode()).isEqualTo(200);
    assertThat(new NameSearch(servers, name).found()).isEmpty();
    assertThat(Api.code(checkouts.begin(Api.token(), body))).isEqualTo("not-held");
  }

  private static StoredAnswers answers() {
    return service.context().getBean(StoredAnswers.class);
  }

  private static Erasure erasure(String name, Instant shreddedAt) {
    return new Erasure(new DataSubject("operator", name), "shredded:0", Set.of(), shreddedAt);
  }

  private static Api.Hold won(String name) {
    var lot = "lot-" + UUID.randomUUID();
    var auction =
        "{\"pool\":\"%s\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":100}"
            .formatted(lot, Instant.now().plusSeconds(3_600));
    assertThat(api.post("/v1/pools", Api.token(), auction).statusCode()).isEqualTo(201);
    var bid = "{\"requester\":\"%s\",\"amountCents\":500}".formatted(name);
    var placed = Http.json(api.post("/v1/pools/" + lot + "/bids", Api.token(), bid));
    var closed = api.post("/v1/pools/" + lot + "/close", Api.token(), "{}");
    assertThat(closed.statusCode()).as(closed.body()).isEqualTo(200);
    return new Api.Hold(placed.get("bidId").asText(), placed.get("sequence").asLong());
  }

  private static Api.Hold released(Api caller, String pool, String name, String item) {
    var hold = caller.hold(pool, name, item);
    assertThat(caller.release(hold.id(), Api.token(), name).statusCode()).isEqualTo(200);
    Await.until(Subscriber.SOON, () -> rows.stateOf(hold).equals("RELEASED"));
    return hold;
  }

  private static String checkout(Api.Hold hold, String name) {
    return "{\"holdId\":\"%s\",\"requester\":\"%s\"}".formatted(hold.id(), name);
  }

  private static String ticket(String pool, String name) {
    var encoded = Base64.getUrlEncoder().withoutPadding();
    var requester = encoded.encodeToString(name.getBytes(StandardCharsets.UTF_8));
    return pool + "~z~" + requester + "~" + SEAL;
  }

  /// More than two parts of a walk.
  private static void storeMany(String route, String body) {
    rows.change(
        """
        INSERT INTO request_result (caller, route, token_hash, digest, digest_function, status,
                                    body, recorded_at, window_end)
        SELECT 'shop', ?, sha256(convert_to(? || n, 'UTF8')), 'd', '1', 200,
               convert_to(format(?, 'e' || n), 'UTF8'), now(), now() + interval '1 day'
          FROM generate_series(1, 1200) AS n
        """,
        route,
        route,
        body);
  }

  /// Stores an answer, and returns the hash of its token.
  private static String store(String caller, String route, String body) {
    var hash = HexFormat.of().formatHex(new DataSubject(caller, Api.token()).hash());
    rows.change(
        """
        INSERT INTO request_result (caller, route, token_hash, digest, digest_function, status,
                                    body, recorded_at, window_end)
        VALUES (?, ?, decode(?, 'hex'), 'd', '1', 200, convert_to(?, 'UTF8'), now(),
                now() + interval '1 day')
        """,
        caller,
        route,
        hash,
        body);
    return hash;
  }

  private static String answer(String hash) {
    return rows.texts(
            """
            SELECT convert_from(body, 'UTF8') FROM request_result
             WHERE token_hash = decode(?, 'hex')
            """,
            hash)
        .getFirst();
  }

  private static String order(Api.Hold hold) {
    return rows.texts("SELECT order_id FROM commitment WHERE hold_id = ?", hold.id()).getFirst();
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
}
