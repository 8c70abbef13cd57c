package io.holdfast.events.privacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.events.PricedPools;
import io.holdfast.events.Subscriber;
import io.holdfast.subject.DataSubject;
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
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// One call makes the personal data of one person unreadable in events and rows, and nothing else.
@ExtendWith(RealServers.class)
class ShreddingTest {
  private static final String REFUND_NONE = "{\"refund\":\"none\"}";
  private static Service service;
  private static Subscriber subscriber;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers servers) {
    service = Subscriber.service(servers, Map.of());
    subscriber = Subscriber.of(service);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  @Requirement({"EC-AC-3", "PC-ADV-2"})
  void one_call_makes_personal_data_unreadable_and_keeps_ids_times_and_states() {
    var pool = PricedPools.create(subscriber.api(), "A-1", "A-2", "B-1");
    var hold = subscriber.sell(pool, "alice@example.com", "A-1");
    subscriber.sell(pool, "alice@example.com", "A-2");
    var other = subscriber.sell(pool, "bob", "B-1");
    awaitDrained(hold, other);
    var before = Http.json(subscriber.api().read(hold.id()));

    var report = Http.json(shred("alice@example.com", "{\"correlationId\":\"ticket-9\"}"));

    assertThat(report.path("correlationId").asText()).isEqualTo("ticket-9");
    assertThat(report.path("fieldsShredded").toString()).isEqualTo("[\"hold.requester\"]");
    assertThat(report.path("events").asInt()).isEqualTo(2);
    assertThat(report.path("holds").asInt()).isEqualTo(2);
    assertThat(report.path("commitments").asInt()).isEqualTo(2);
    var after = Http.json(subscriber.api().read(hold.id()));
    assertThat(rows.texts("SELECT requester FROM hold WHERE hold_id = ?", hold.id()).getFirst())
        .startsWith("shredded:");
    assertThat(rows.texts("SELECT requester FROM commitment WHERE hold_id = ?", hold.id()))
        .allMatch(requester -> requester.startsWith("shredded:"));
    for (var kept : new String[] {"holdId", "state", "placedAt", "expiresAt", "committedAt"}) {
      assertThat(after.get(kept)).as(kept).isEqualTo(before.get(kept));
    }
    var events = events(pool);
    var redacted = events.get(0).path("data").path("hold").path("requester");
    assertThat(redacted.path("__redacted").asBoolean()).isTrue();
    assertThat(redacted.path("originalType").asText()).isEqualTo("string");
    assertThat(redacted.path("redactedAt").asText()).isNotEmpty();
    assertThat(events.get(0).path("data").path("order").path("orderId").asText())
        .isEqualTo("order-A-1");
    assertThat(events.get(2).path("data").path("hold").path("requester").asText()).isEqualTo("bob");
    assertThat(rows.stateOf(other)).isEqualTo("CONFIRMED");
  }

  @Test
  @Requirement("EC-RU-3")
  void stored_personal_data_are_not_readable_without_the_key() {
    var pool = PricedPools.create(subscriber.api(), "A-1");
    var hold = subscriber.sell(pool, "carol-the-secret", "A-1");
    subscriber.api().post("/v1/commitments/cm~" + hold.id() + "/void", Api.token(), REFUND_NONE);
    Await.until(Subscriber.SOON, () -> events(pool).size() == 2);

    var stored = rows.texts("SELECT data FROM event WHERE pool = ? ORDER BY seq", pool);

    assertThat(stored.get(0)).as("the event of a sale has no data of its own").isEmpty();
    assertThat(stored.get(1)).doesNotContain("carol").contains("__sealed");
    assertThat(events(pool).get(0).toString()).contains("carol-the-secret");
    assertThat(events(pool).get(1).toString()).contains("carol-the-secret");
  }

  @Test
  void a_requester_whose_name_equals_a_pseudonym_is_not_redacted() {
    var pool = PricedPools.create(subscriber.api(), "A-1", "A-2", "A-3");
    var hold = subscriber.sell(pool, "karl", "A-1");
    var next = rows.number("SELECT last_value + is_called::int FROM shredding_number");
    subscriber.sell(pool, "shredded:" + next, "A-2");
    awaitDrained(hold);
    shred("karl", "{}");
    var pseudonym =
        rows.texts("SELECT requester FROM hold WHERE hold_id = ?", hold.id()).getFirst();

    subscriber.sell(pool, pseudonym, "A-3");

    Await.until(Subscriber.SOON, () -> events(pool).size() == 3);
    assertThat(events(pool).get(0).toString()).contains("__redacted").doesNotContain("karl");
    assertThat(requester(pool, 1)).isEqualTo("shredded:" + next);
    assertThat(requester(pool, 2)).isEqualTo(pseudonym);
  }

  private static String requester(String pool, int index) {
    return events(pool).get(index).path("data").path("hold").path("requester").asText();
  }

  @Test
  void a_sale_that_an_earlier_version_stored_encrypted_is_counted_once() {
    var pool = PricedPools.create(subscriber.api(), "A-1");
    awaitDrained(subscriber.sell(pool, "lena", "A-1"));
    Await.until(Subscriber.SOON, () -> events(pool).size() == 1);
    rows.change(
        """
        INSERT INTO event_person (key_id, pool, seq, fields)
        SELECT id, ?, 1, ARRAY['hold.requester'] FROM person_key
         WHERE person_hash = decode(?, 'hex') AND secret IS NOT NULL
        """,
        pool,
        HexFormat.of().formatHex(new DataSubject("operator", "lena").hash()));

    var report = Http.json(shred("lena", "{}"));

    assertThat(report.path("events").asInt()).isEqualTo(1);
    assertThat(report.path("parts").asInt()).isEqualTo(1);
    assertThat(report.path("fieldsShredded").toString()).isEqualTo("[\"hold.requester\"]");
  }

  @Test
  void events_after_a_shredding_are_readable() {
    var pool = PricedPools.create(subscriber.api(), "A-1", "A-2");
    awaitDrained(subscriber.sell(pool, "dora", "A-1"));
    shred("dora", "{}");

    subscriber.sell(pool, "dora", "A-2");

    Await.until(Subscriber.SOON, () -> events(pool).size() == 2);
    assertThat(events(pool).get(0).toString()).doesNotContain("dora").contains("__redacted");
    assertThat(events(pool).get(1).toString()).contains("\"requester\":\"dora\"");
  }

  @Test
  void a_person_with_live_holds_is_not_shredded() {
    var pool = subscriber.api().pool(2);
    var hold = subscriber.api().hold(pool, "erna", "A-1");
    awaitDrained(hold);

    var refused = shred("erna", "{}");

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("subject-active");
    assertThat(rows.texts("SELECT requester FROM hold WHERE hold_id = ?", hold.id()))
        .containsExactly("erna");
  }

  @Test
  void an_unknown_person_or_one_of_another_caller_is_not_shredded() {
    var pool = PricedPools.create(subscriber.api(), "A-1");
    var hold = subscriber.sell(pool, "fritz", "A-1");
    awaitDrained(hold);
    var stranger = new Subscriber(subscriber.api().as("stranger", "operate"));

    assertThat(Api.code(shred("nobody", "{}"))).isEqualTo("not-known");
    assertThat(Api.code(stranger.api().post("/v1/subjects/fritz/shred", Api.token(), "{}")))
        .isEqualTo("not-known");
    assertThat(rows.texts("SELECT requester FROM hold WHERE hold_id = ?", hold.id()))
        .containsExactly("fritz");
    var named =
        stranger.api().post("/v1/subjects/fritz/shred", Api.token(), "{\"caller\":\"operator\"}");
    assertThat(Http.json(named).path("holds").asInt()).isEqualTo(1);
  }

  @Test
  void the_same_token_gets_the_same_report() {
    var pool = PricedPools.create(subscriber.api(), "A-1");
    awaitDrained(subscriber.sell(pool, "gerd", "A-1"));
    var token = Api.token();

    var first = subscriber.api().post("/v1/subjects/gerd/shred", token, "{}");
    var again = subscriber.api().post("/v1/subjects/gerd/shred", token, "{}");

    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
  }

  @Test
  @Requirement("PC-ADV-2")
  void only_the_requester_of_a_row_can_change_and_only_to_a_pseudonym() {
    var pool = PricedPools.create(subscriber.api(), "A-1");
    var hold = subscriber.sell(pool, "hans", "A-1");
    awaitDrained(hold);

    for (var change :
        new String[] {
          "UPDATE hold SET requester = 'somebody else' WHERE hold_id = ?",
          "UPDATE hold SET requester = 'shredded:1', state = 'RELEASED' WHERE hold_id = ?",
          "UPDATE commitment SET requester = 'somebody else' WHERE hold_id = ?",
          "UPDATE commitment SET requester = 'shredded:1', order_id = 'x' WHERE hold_id = ?"
        }) {
      assertThatThrownBy(() -> rows.change(change, hold.id())).as(change).isNotNull();
    }
    assertThat(rows.texts("SELECT requester FROM commitment WHERE hold_id = ?", hold.id()))
        .containsExactly("hans");
  }

  @Test
  void the_audit_report_is_ok_after_a_shredding() {
    var pool = PricedPools.create(subscriber.api(), "A-1");
    awaitDrained(subscriber.sell(pool, "ida", "A-1"));
    assertThat(shred("ida", "{}").statusCode()).isEqualTo(200);

    var report = Http.json(subscriber.api().get("/v1/audit/report"));

    assertThat(report.path("ok").asBoolean()).as(report.toString()).isTrue();
  }

  private static void awaitDrained(Api.Hold... holds) {
    for (var hold : holds) {
      Await.until(Subscriber.SOON, () -> !rows.stateOf(hold).equals("none"));
    }
    Await.until(
        Subscriber.SOON, () -> rows.number("SELECT count(*) FROM outbox") == 0); // settled in Redis
  }

  private static HttpResponse<String> shred(String subject, String body) {
    var path = URLEncoder.encode(subject, StandardCharsets.UTF_8);
    return subscriber.api().post("/v1/subjects/" + path + "/shred", Api.token(), body);
  }

  private static JsonNode events(String pool) {
    return Http.json(subscriber.api().get("/v1/pools/" + pool + "/events"));
  }
}
