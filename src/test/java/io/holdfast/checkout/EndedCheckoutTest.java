package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A hold whose checkout has ended: others may follow until one has made the sale.
@ExtendWith(RealServers.class)
class EndedCheckoutTest {
  private static final String WAITING =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname ="
          + " current_database() AND query LIKE '%INSERT INTO checkout %'";

  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(9, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  @Requirement({"BR-S-1", "BR-S-5"})
  void a_hold_whose_card_was_declined_can_still_be_sold_once() {
    var hold = api.hold(pool, "ann", "A-1");
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);

    var sold = decided(() -> api.confirm(hold, Api.token(), "ann", "paid in cash"));
    var second = checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);

    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    assertThat(Api.code(second)).isEqualTo("not-held");
    assertThat(
            rows.number(
                "SELECT count(*) FROM commitment WHERE pool = ? AND hold_id = ?", pool, hold.id()))
        .isOne();
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");
  }

  @Test
  @Requirement({"AU-5", "BR-S-5"})
  void after_declined_cards_another_card_pays_for_the_same_hold_and_is_refunded_by_a_void() {
    var hold = api.hold(pool, "ann", "A-4");
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);

    var paid = checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);
    var fourth = checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);

    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    var id = Http.json(paid).get("checkoutId").asText();
    var commitment = Http.json(paid).get("commitmentId").asText();
    assertThat(commitment).isEqualTo("cm~" + hold.id());
    assertThat(checkouts.read(id).get("commitmentId").asText()).isEqualTo(commitment);
    assertThat(Api.code(fourth)).isEqualTo("checkout-exists");
    assertThat(captured(hold)).isEqualTo(Checkouts.PRICE);
    assertThat(phases(hold)).containsExactly("COMPENSATED", "COMPENSATED", "DONE");

    var path = "/v1/commitments/" + commitment + "/void";
    var voided = api.post(path, Api.token(), "{\"refund\":\"full\"}");

    assertThat(Http.json(voided).get("checkoutId").asText()).as(voided.body()).isEqualTo(id);
    checkouts.awaitState(id, "COMPENSATED");
    assertThat(captured(hold)).isZero();
    assertThat(Api.code(checkouts.pay(hold, "ann", "ok", Checkouts.PRICE))).isEqualTo("not-held");
  }

  @Test
  @Requirement("AU-5")
  void of_concurrent_checkouts_after_a_declined_card_at_most_one_at_a_time_runs_and_one_pays() {
    var hold = api.hold(pool, "ann", "A-5");
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);

    var answers =
        Together.run(
            12,
            i -> {
              var method = i % 3 == 0 ? "late-webhook-300" : "decline";
              return decided(() -> checkouts.pay(hold, "ann", method, Checkouts.PRICE));
            });
    var last = checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);

    var paid =
        Stream.concat(answers.stream(), Stream.of(last)).filter(a -> a.statusCode() == 200).count();
    assertThat(paid).isOne();
    assertThat(answers.stream().filter(a -> a.statusCode() != 200).map(Api::code))
        .isSubsetOf("checkout-exists", "checkout-failed");
    assertThat(captured(hold)).isEqualTo(Checkouts.PRICE);
    assertThat(phases(hold)).containsOnlyOnce("DONE");
  }

  @Test
  @Requirement("AU-5")
  void postgres_refuses_a_second_checkout_beside_one_that_was_not_undone() {
    var hold = api.hold(pool, "ann", "A-6");
    checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);
    var second =
        """
        INSERT INTO checkout
        SELECT (jsonb_populate_record(c, jsonb_build_object(
                    'checkout_id', checkout_id || 'x', 'phase', ?::text,
                    'ended_at', CASE WHEN ? LIKE '%ING' OR ? = 'FORWARD' THEN NULL
                                     ELSE ended_at END))).*
          FROM checkout c WHERE hold_id = ?
        """;

    for (var phase : List.of("FORWARD", "COMPENSATING", "DONE", "STUCK")) {
      assertThatThrownBy(() -> rows.change(second, phase, phase, phase, hold.id()))
          .hasRootCauseInstanceOf(SQLException.class)
          .rootCause()
          .hasMessageContaining("checkout_hold_once");
    }
  }

  @Test
  @Requirement({"AU-5", "IR-GA-2"})
  void the_auditor_finds_a_checkout_that_began_beside_another_one() throws SQLException {
    var hold = api.hold(pool, "ann", "A-8");
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);
    checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);

    move(hold, "- interval '1 h'");
    var forged = violations("AU-5");
    move(hold, "+ interval '1 h'");

    assertThat(forged).isOne();
    assertThat(violations("AU-5")).isZero();
  }

  @Test
  @Requirement("AU-5")
  void a_checkout_that_waited_for_the_end_of_the_one_before_began_after_it() throws Exception {
    var hold = api.hold(pool, "ann", "A-9");
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);

    try (var connection = rows.connections().get();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SET LOCAL session_replication_role = replica");
      statement.execute(
          "UPDATE checkout SET phase = 'COMPENSATING', ended_at = NULL, lease_until = now() +"
              + " interval '1 min' WHERE hold_id = '%s'".formatted(hold.id()));
      connection.commit();
      statement.execute("SET LOCAL session_replication_role = replica");
      var end =
          "UPDATE checkout SET phase = 'COMPENSATED', ended_at = clock_timestamp() WHERE hold_id ="
              + " '%s'".formatted(hold.id());
      statement.execute(end);
      var second =
          CompletableFuture.supplyAsync(() -> checkouts.pay(hold, "ann", "ok", Checkouts.PRICE));
      Await.until(Duration.ofSeconds(10), () -> rows.number(WAITING) == 1);
      statement.execute(end);
      connection.commit();
      assertThat(second.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    assertThat(
            rows.number(
                "SELECT count(*) FROM checkout a, checkout b WHERE a.hold_id = ? AND b.hold_id ="
                    + " a.hold_id AND a.phase = 'DONE' AND b.phase = 'COMPENSATED' AND a.created_at"
                    + " < b.ended_at",
                hold.id()))
        .isOne();
    assertThat(violations("AU-5")).isZero();
  }

  /// Moves the start of the checkout that paid. The triggers, which forbid it, are off.
  private static void move(Api.Hold hold, String by) throws SQLException {
    try (var connection = rows.connections().get();
        var statement = connection.createStatement()) {
      statement.execute("SET session_replication_role = replica");
      statement.execute(
          """
          UPDATE checkout_log l SET recorded_at = recorded_at %s
            FROM checkout c
           WHERE c.hold_id = '%s' AND c.phase = 'DONE' AND l.event = 'STARTED'
             AND l.pool = c.pool AND l.checkout_id = c.checkout_id
          """
              .formatted(by, hold.id()));
    }
  }

  private static long violations(String check) {
    for (var each : Http.json(api.get("/v1/audit/report")).get("checks")) {
      if (each.get("id").asText().equals(check)) {
        return each.get("violations").asLong();
      }
    }
    throw new AssertionError("no check " + check);
  }

  private static long captured(Api.Hold hold) {
    return rows.number(
        """
        SELECT coalesce(sum(CASE kind WHEN 'CAPTURED' THEN cents WHEN 'REFUNDED' THEN -cents
                            ELSE 0 END), 0)
          FROM payment_entry JOIN checkout USING (pool, checkout_id) WHERE hold_id = ?
        """,
        hold.id());
  }

  private static List<String> phases(Api.Hold hold) {
    return rows.texts(
        "SELECT phase FROM checkout WHERE hold_id = ? ORDER BY created_at", hold.id());
  }

  @Test
  @Requirement("BR-S-5")
  void a_sale_made_after_a_failed_checkout_is_voided_like_a_sale_without_a_checkout() {
    var hold = api.hold(pool, "ann", "A-3");
    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);
    var sold = decided(() -> api.confirm(hold, Api.token(), "ann", "paid in cash"));
    assertThat(sold.statusCode()).as(sold.body()).isEqualTo(200);
    var path = "/v1/commitments/" + Http.json(sold).get("commitmentId").asText() + "/void";

    var voided = api.post(path, Api.token(), "{\"refund\":\"none\"}");
    var second = api.post(path, Api.token(), "{\"refund\":\"none\"}");

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    assertThat(Http.json(voided).get("checkoutId").isNull()).as(voided.body()).isTrue();
    assertThat(Api.code(second)).isEqualTo("already-voided");
    assertThat(api.stateOf(pool, "A-3")).isEqualTo("FREE");
    assertThat(rows.texts("SELECT phase FROM checkout WHERE hold_id = ?", hold.id()))
        .containsExactly("COMPENSATED");
  }

  /// Redis learns of a returned claim a moment later.
  private static HttpResponse<String> decided(Supplier<HttpResponse<String>> call) {
    var last = new AtomicReference<HttpResponse<String>>();
    Await.until(
        Duration.ofSeconds(20),
        () -> {
          last.set(call.get());
          return !List.of("attempt-collision", "storage-failure").contains(codeOf(last.get()));
        });
    return last.get();
  }

  private static String codeOf(HttpResponse<String> answer) {
    return answer.statusCode() == 200 ? "" : Api.code(answer);
  }

  @Test
  void a_second_checkout_of_a_sold_hold_is_refused_because_one_exists() {
    var hold = api.hold(pool, "ann", "A-7");
    checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);

    var second = checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);
    var somebodyElses = checkouts.pay(hold, "bob", "ok", Checkouts.PRICE);

    assertThat(Api.code(second)).isEqualTo("checkout-exists");
    assertThat(Api.code(somebodyElses)).isEqualTo("not-held");
  }
}
