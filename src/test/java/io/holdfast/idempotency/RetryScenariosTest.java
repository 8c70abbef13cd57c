package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Typical scenarios of idempotency: answers get lost and users click twice, and the effect happens
/// once.
@ExtendWith(RealServers.class)
class RetryScenariosTest {
  private static final String A_DAY =
      "{\"leaseSeconds\":86400,\"windowSeconds\":86400,\"idempotencyWindowSeconds\":600}";

  private static final int RETRIES = 4;

  private static Service service;
  private static Api api;
  private static Records records;

  @AfterAll
  static void close() {
    service.close();
  }

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    records = new Records(servers, api);
  }

  @Test
  @Requirement({"IR-WT-1", "IR-WT-2", "IR-WT-3"})
  void a_guest_who_retries_three_times_has_one_room() {
    var hotel = pool("hotel", A_DAY, "room_307");

    var first = hold(hotel, "idem_x73a", "guest_g91", "room_307", 86_400);
    var retries =
        Stream.generate(() -> hold(hotel, "idem_x73a", "guest_g91", "room_307", 86_400))
            .limit(3)
            .toList();

    assertThat(first.statusCode()).as(first.body()).isEqualTo(201);
    assertThat(retries).extracting(HttpResponse::body).containsOnly(first.body());
    assertThat(Http.json(api.read(Api.Hold.of(first).id())).get("state").asText())
        .isEqualTo("HELD");
    assertThat(records.words(hotel)).containsOnlyOnce("HELD").doesNotContain("SAME");
    assertThat(records.tokens(hotel)).hasSize(1);
    assertThat(records.texts("SELECT action FROM token_result WHERE pool = ?", hotel))
        .containsExactly("place_hold");
  }

  /// The terminal repeats its authorisation of 250 dollars, first while it runs and then after it.
  @Test
  @Requirement("IR-EX-1")
  void an_authorisation_repeated_by_a_terminal_charges_once() {
    var made =
        api.post(
            "/v1/pools",
            Api.token(),
            """
            {"pool":"bank","kind":"SEATS","policy":{"currency":"USD"},
             "items":[{"item":"card-4711","priceCents":25000}]}
            """);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    var hold = Api.Hold.of(hold("bank", Api.token(), "merchant_m7", "card-4711", 600));
    var key = "BIZMSG/20260520/0000250";
    var order = Checkouts.body(hold, "merchant_m7", "ok", 25_000).replace("\"EUR\"", "\"USD\"");
    var terminal = new Checkouts(api);

    var both = Together.run(2, _ -> terminal.begin(key, order, "Prefer", "wait=20"));
    var third = terminal.begin(key, order, "Prefer", "wait=20");

    for (var answer : List.of(both.getFirst(), both.getLast(), third)) {
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(Http.json(answer).get("checkoutId")).isEqualTo(Http.json(third).get("checkoutId"));
    }
    var moved = "SELECT kind || ' ' || cents FROM payment_entry WHERE pool = 'bank' ORDER BY kind";
    assertThat(records.texts(moved)).containsExactly("AUTHORISED 25000", "CAPTURED 25000");
    assertThat(records.texts("SELECT captured_cents FROM simulated_payment"))
        .as("in the books of the bank")
        .containsExactly("25000");
  }

  @Test
  @Requirement("IR-EX-2")
  void a_bed_assigned_by_a_double_click_has_one_patient_and_one_record() {
    var ward = pool("ward", "{\"leaseSeconds\":7200,\"windowSeconds\":7200}", "bed_307");
    var since = Instant.now();

    var first = hold(ward, "session-17/assign", "patient_p41", "bed_307", 7_200);
    Await.until(
        Duration.ofSeconds(5), () -> Instant.now().isAfter(since.plus(Duration.ofMillis(800))));
    var second = hold(ward, "session-17/assign", "patient_p41", "bed_307", 7_200);

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(Api.Hold.of(second).id()).isEqualTo(Api.Hold.of(first).id());
    assertThat(records.holds(ward)).isEqualTo(1);
    var calls = "SELECT word FROM token_use WHERE pool = ?";
    assertThat(records.texts(calls, ward)).containsExactly("HELD");
  }

  /// The shoppers' first answers get lost. Both keep asking at once, with pauses that double.
  @Test
  @Requirement("IR-EX-3")
  void of_two_shoppers_who_keep_retrying_one_gets_the_item_and_the_other_a_refusal() {
    var shop = pool("shop", "{}", "sku-1-of-1");
    var carts = List.of("cart-1", "cart-2");

    var ends = Together.run(2, i -> retries(shop, carts.get(i)));

    assertThat(ends).allSatisfy(answers -> assertThat(answers).hasSize(RETRIES));
    assertThat(ends).extracting(answers -> answers.stream().distinct().count()).containsOnly(1L);
    assertThat(ends)
        .extracting(answers -> answers.getFirst().split(" ")[0])
        .containsExactlyInAnyOrder("201", "409");
    assertThat(records.holds(shop)).isEqualTo(1);
    assertThat(records.words(shop)).containsOnlyOnce("HELD").containsOnlyOnce("TAKEN");
  }

  /// The answers that arrive, each as status and body.
  private static List<String> retries(String shop, String cart) {
    var token = cart + ":sku-1-of-1";
    var answers = new ArrayList<String>();
    var pause = Duration.ofMillis(10);
    try (var line = FaultProxy.before(api.base().toString())) {
      var there = new Api(URI.create(line.insteadOf(api.base().toString())), api.key());
      line.dropReplyTo(token);
      while (answers.size() < RETRIES) {
        try {
          var answer = hold(there, shop, token, cart, "sku-1-of-1", 600);
          answers.add(answer.statusCode() + " " + answer.body());
        } catch (UncheckedIOException e) {
          assertThat(answers).as("only the first answer is lost").isEmpty();
        }
        Await.pause(pause);
        pause = pause.multipliedBy(2);
      }
      assertThat(line.isStruck()).isTrue();
    }
    return answers;
  }

  private static String pool(String name, String policy, String... items) {
    var made = api.createPool(name, List.of(items), policy);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return name;
  }

  private static HttpResponse<String> hold(
      String pool, String token, String requester, String item, long leaseSeconds) {
    return hold(api, pool, token, requester, item, leaseSeconds);
  }

  private static HttpResponse<String> hold(
      Api api, String pool, String token, String requester, String item, long leaseSeconds) {
    return api.post(
        "/v1/pools/" + pool + "/holds",
        token,
        "{\"requester\":\"%s\",\"items\":[\"%s\"],\"leaseSeconds\":%d}"
            .formatted(requester, item, leaseSeconds));
  }
}
