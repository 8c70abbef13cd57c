package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// One sale that uses all six bridges of docs/bridges.md.
@ExtendWith(RealServers.class)
@Tag("slow")
class SixBridgesTest {
  private static final List<String> SEATS = List.of("A-1", "A-2");

  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  @Requirement("BR-X-1")
  void two_seats_are_queued_for_held_paid_given_back_and_sold_to_the_next() {
    var room =
        new Room(api, checkouts.pool(SEATS.size(), "{\"waitingRoom\":true,\"maxInside\":1}"));

    // The sequence number: ann is first, and bob waits although both seats are free.
    var ann = room.ticket("ann");
    room.awaitState(ann, "ADMITTED");
    var bob = room.ticket("bob");
    assertThat(room.position(bob)).isEqualTo(1);
    assertThat(Api.code(hold(room, "bob", "none"))).isEqualTo("not-admitted");

    // The TTL: a heartbeat moves the lease, and nothing moves the window.
    var placed = hold(room, "ann", room.passOf(ann));
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    var annsHold = Hold.of(placed);
    var beat = api.heartbeat(annsHold.id(), "ann", annsHold.fence());
    assertThat(Api.time(beat, "leaseUntil")).isAfter(Api.time(placed, "leaseUntil"));
    assertThat(Api.time(beat, "expiresAt")).isEqualTo(Api.time(placed, "expiresAt"));

    // The idempotency key: four equal requests are one checkout. The compensation undoes it.
    var price = SEATS.size() * Checkouts.PRICE;
    var body = Checkouts.body(annsHold, "ann", "fail-fulfil", price);
    var token = Api.token();
    var answers = Together.run(4, _ -> checkouts.begin(token, body, "Prefer", "wait=30"));
    assertThat(answers).extracting(HttpResponse::body).containsOnly(answers.getFirst().body());
    var checkout = Http.json(answers.getFirst());
    assertThat(checkout.at("/failure/code").asText()).isEqualTo("fulfilment-failed");
    assertThat(
            rows.texts(
                "SELECT kind || ' ' || cents FROM payment_entry WHERE checkout_id = ?"
                    + " ORDER BY recorded_at, kind",
                checkout.get("checkoutId").asText()))
        .containsExactly("AUTHORISED " + price, "CAPTURED " + price, "REFUNDED " + price);
    assertThat(api.counts(room.pool())).isEqualTo("2 free, 0 held");

    // The next in the queue is admitted and gets the seats.
    room.awaitState(bob, "ADMITTED");
    var bobsHold = Hold.of(hold(room, "bob", room.passOf(bob)));

    // The fencing token: ann resumes with her old hold and sells nothing.
    assertThat(bobsHold.fence()).isGreaterThan(annsHold.fence());
    assertThat(api.confirm(annsHold, Api.token(), "ann", "order-a").statusCode()).isEqualTo(409);

    // The compare-and-set: of two orders at once for the same seats one is sold.
    var sales =
        Together.run(2, i -> api.confirm(bobsHold, Api.token(), "bob", "order-b" + i).statusCode());
    assertThat(sales).containsExactlyInAnyOrder(200, 409);
    assertThat(admitted(room)).containsExactly("ann", "bob");
    assertThat(sold(room)).containsExactly("A-1 bob", "A-2 bob");
  }

  private static HttpResponse<String> hold(Room room, String requester, String pass) {
    var body = "{\"requester\":\"%s\",\"items\":[\"A-1\",\"A-2\"]}".formatted(requester);
    return Http.post(
        api.base(),
        "/v1/pools/" + room.pool() + "/holds",
        body,
        "Authorization",
        "Bearer " + api.key(),
        "Idempotency-Key",
        Api.token(),
        "Waiting-Room-Pass",
        pass);
  }

  private static List<String> admitted(Room room) {
    return rows.texts(
        "SELECT requester FROM admission WHERE pool = ? ORDER BY admitted_at", room.pool());
  }

  private static List<String> sold(Room room) {
    return rows.texts(
        "SELECT item || ' ' || requester FROM commitment WHERE pool = ? AND voided_at IS NULL"
            + " ORDER BY 1",
        room.pool());
  }
}
