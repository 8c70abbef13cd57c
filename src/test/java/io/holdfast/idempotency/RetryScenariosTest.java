package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Typical scenarios of idempotency: answers get lost and users click twice, and the effect happens
/// once.
@ExtendWith(RealServers.class)
class RetryScenariosTest {
  private static final String A_DAY =
      "{\"leaseSeconds\":86400,\"windowSeconds\":86400,\"idempotencyWindowSeconds\":600}";

  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service service) {
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

  @Test
  @Requirement("IR-EX-1")
  void an_authorisation_repeated_by_a_terminal_is_made_once() {
    var bank = pool("bank", "{}", "card-4711:250.00-USD");
    var key = "BIZMSG/20260520/0000250";

    var first = hold(bank, key, "merchant_m7", "card-4711:250.00-USD", 600);
    var second = hold(bank, key, "merchant_m7", "card-4711:250.00-USD", 600);

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(records.holds(bank)).isEqualTo(1);
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
    var calls = "SELECT word FROM journal WHERE pool = ? AND action IS NOT NULL";
    assertThat(records.texts(calls, ward)).containsExactly("HELD");
  }

  @Test
  @Requirement("IR-EX-3")
  void of_two_shoppers_who_keep_retrying_one_gets_the_item_and_the_other_a_refusal() {
    var shop = pool("shop", "{}", "sku-1-of-1");

    var winner = retries(shop, "cart-1");
    var loser = retries(shop, "cart-2");

    assertThat(winner).extracting(HttpResponse::statusCode).containsOnly(201);
    assertThat(winner.stream().map(HttpResponse::body).distinct()).hasSize(1);
    assertThat(loser).extracting(HttpResponse::statusCode).containsOnly(409);
    assertThat(loser.stream().map(HttpResponse::body).distinct()).hasSize(1);
    assertThat(records.holds(shop)).isEqualTo(1);
    assertThat(records.words(shop)).containsOnlyOnce("HELD").containsOnlyOnce("TAKEN");
  }

  private static List<HttpResponse<String>> retries(String shop, String cart) {
    var token = cart + ":sku-1-of-1";
    return Stream.generate(() -> hold(shop, token, cart, "sku-1-of-1", 600)).limit(4).toList();
  }

  private static String pool(String name, String policy, String... items) {
    var made = api.createPool(name, List.of(items), policy);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return name;
  }

  private static HttpResponse<String> hold(
      String pool, String token, String requester, String item, long leaseSeconds) {
    return api.post(
        "/v1/pools/" + pool + "/holds",
        token,
        "{\"requester\":\"%s\",\"items\":[\"%s\"],\"leaseSeconds\":%d}"
            .formatted(requester, item, leaseSeconds));
  }
}
