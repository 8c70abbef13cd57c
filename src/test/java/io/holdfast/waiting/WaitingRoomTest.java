package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.pool.TicketId;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Tickets and passes as their callers see them.
@ExtendWith(RealServers.class)
@Tag("cluster")
class WaitingRoomTest {
  private static Api api;
  private static Rows rows;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    rows = Rows.of(servers);
    records = new Records(servers, api);
  }

  @AfterEach
  void nothing_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  @Requirement({"BR-Q-3", "BR-Q-6"})
  void tickets_are_numbered_in_the_order_of_joining() {
    var room = Room.of(api, 5, "");

    var joined =
        IntStream.rangeClosed(1, 3)
            .mapToObj(i -> Http.json(room.join(Api.token(), "u" + i)))
            .toList();

    assertThat(joined)
        .extracting(each -> each.get("position").asLong())
        .containsExactly(1L, 2L, 3L);
    assertThat(joined).extracting(each -> each.get("sequence").asLong()).isSorted();
    assertThat(joined.getFirst().get("estimatedWaitSeconds").isNull()).isTrue();
    assertThat(room.position(joined.get(2).get("ticket").asText())).isEqualTo(3);
  }

  @Test
  @Requirement("AU-16")
  void joining_again_keeps_the_ticket_and_its_place() {
    var room = Room.of(api, 5, "");
    var ticket = room.ticket("u1");
    room.ticket("u2");

    var again = room.join(Api.token(), "u1");

    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(Http.json(again).get("ticket").asText()).isEqualTo(ticket);
    assertThat(Http.json(again).get("position").asLong()).isEqualTo(1);
    assertThat(room.state(ticket)).isEqualTo("WAITING");
  }

  @Test
  void a_replayed_join_has_the_bytes_of_the_first_response() {
    var room = Room.of(api, 5, ",\"admissionsPerMinute\":1,\"maxInside\":1");
    room.ticket("u0");
    var token = Api.token();
    var first = room.join(token, "u1");

    var second = room.join(token, "u1");

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(second.statusCode()).isEqualTo(201);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(second)).isTrue();
    assertThat(Api.code(room.join(token, "u2"))).isEqualTo("token-collision");
    var recorded = Http.json(api.get("/v1/operations/" + token + "?pool=" + room.pool()));
    assertThat(recorded.at("/result/body").toString()).isEqualTo(first.body());
  }

  @Test
  void an_estimate_names_its_basis() {
    var room = Room.of(api, 5, ",\"admissionsPerMinute\":6,\"opensAt\":\"2999-01-01T00:00:00Z\"");
    var second = room.tickets(2).getLast();

    assertThat(room.look(second).get("estimateBasis").asText()).isEqualTo("POLICY");
    assertThat(room.look(second).get("estimatedWaitSeconds").asLong()).isEqualTo(20);
  }

  @Test
  void who_leaves_frees_the_place_and_may_join_behind() {
    var room = Room.of(api, 5, "");
    var tickets = room.tickets(3);
    var token = Api.token();

    var left = room.leave(token, tickets.getFirst());

    assertThat(left.statusCode()).as(left.body()).isEqualTo(200);
    assertThat(Http.json(left).get("state").asText()).isEqualTo("LEFT");
    assertThat(room.leave(token, tickets.getFirst()).body()).isEqualTo(left.body());
    assertThat(room.state(tickets.getFirst())).isEqualTo("LEFT");
    assertThat(room.position(tickets.get(1))).isEqualTo(1);
    assertThat(room.position(room.ticket("u1"))).isEqualTo(3);
    records.words(room.pool()); // drains, and the record leaves Redis
    assertThat(room.state(tickets.getFirst())).isEqualTo("LEFT");
    assertThat(Http.json(room.leave(Api.token(), tickets.getFirst())).get("state").asText())
        .isEqualTo("LEFT");
  }

  @Test
  void a_ticket_without_a_sign_of_life_expires_and_one_with_it_keeps_its_place() {
    var room = Room.of(api, 5, ",\"graceSeconds\":4");
    var absent = room.ticket("u1");
    var present = room.ticket("u2");

    Await.until(Room.PATIENCE, () -> room.position(present) == 1);

    assertThat(room.state(absent)).isEqualTo("EXPIRED");
    assertThat(room.state(present)).isEqualTo("WAITING");
    assertThat(records.words(room.pool())).contains("TICKET_EXPIRED");
    assertThat(room.state(absent)).isEqualTo("EXPIRED");
  }

  @Test
  void holds_need_a_pass_and_the_refusal_is_stored() {
    var room = Room.of(api, 5, "");
    var token = Api.token();
    var refused = room.hold(token, "u1", "nothing");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(Api.code(refused)).isEqualTo("not-admitted");
    var pass = room.pass("u1");

    var again = room.hold(token, "u1", pass);

    assertThat(again.body()).isEqualTo(refused.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(room.hold(Api.token(), "u1", pass).statusCode()).isEqualTo(201);
    assertThat(Api.code(stock(room).place(Api.token(), "u1", 1))).isEqualTo("not-admitted");
  }

  @Test
  void seats_need_a_pass_whether_they_are_named_or_searched() {
    var pool = api.pool(3, "{\"waitingRoom\":true}");
    var room = new Room(api, pool);
    var pass = room.pass("u1");

    var named = "{\"requester\":\"u1\",\"items\":[\"A-1\"]}";
    var searched = "{\"requester\":\"u1\",\"bestAvailable\":1}";

    assertThat(Api.code(api.place(pool, Api.token(), "u1", "A-1"))).isEqualTo("not-admitted");
    assertThat(Api.code(api.post("/v1/pools/" + pool + "/holds", Api.token(), searched)))
        .isEqualTo("not-admitted");
    assertThat(post(room, named, pass)).isEqualTo(201);
    assertThat(post(room, searched, pass)).isEqualTo(201);
  }

  @Test
  void tickets_of_others_and_forged_tickets_are_not_known() {
    var room = Room.of(api, 5, "");
    var ticket = room.ticket("u1");
    var other = room.as(api.as("stranger", "hold"));

    assertThat(other.show(ticket).statusCode()).isEqualTo(404);
    assertThat(other.leave(Api.token(), ticket).statusCode()).isEqualTo(404);
    assertThat(room.show(Room.changed(ticket)).statusCode()).isEqualTo(404);
    assertThat(room.show("nothing").statusCode()).isEqualTo(404);
    var unknown = TicketId.parse(ticket).orElseThrow();
    var higher =
        new TicketId(unknown.pool(), unknown.number() + 7, unknown.requester(), unknown.seal());
    assertThat(room.show(higher.toString()).statusCode()).isEqualTo(404);
    assertThat(room.position(ticket)).isEqualTo(1);
  }

  @Test
  @Requirement("AU-16")
  void when_all_is_sold_those_who_wait_are_told_at_once_and_wait_again_after_a_void() {
    var room = Room.of(api, 1, "");
    var first = room.ticket("u1");
    var second = room.ticket("u2");
    room.admit(1);
    var hold = room.held("u1", room.passOf(first));
    assertThat(room.state(second)).isEqualTo("WAITING");
    stock(room).confirm(hold, "u1", 1);

    Await.until(Duration.ofSeconds(2), () -> room.state(second).equals("SOLD_OUT"));
    var voided =
        api.post("/v1/commitments/cm~" + hold.id() + "/void", Api.token(), "{\"refund\":\"none\"}");

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    room.awaitState(second, "WAITING");
  }

  @Test
  void what_a_pool_without_a_waiting_room_is_asked_for_is_refused() {
    var pool = api.pool(1);

    assertThat(new Room(api, pool).join(Api.token(), "u1").statusCode()).isEqualTo(400);
    assertThat(new Room(api, pool).admit(Api.token(), 1).statusCode()).isEqualTo(400);
    assertThat(new Room(api, "no-such-pool").admit(Api.token(), 1).statusCode()).isEqualTo(404);
    assertThat(new Room(api, pool).admit(Api.token(), 0).statusCode()).isEqualTo(400);
  }

  @Test
  void the_policy_shows_the_rules_of_the_room() {
    var room = Room.of(api, 5, ",\"maxInside\":3,\"graceSeconds\":60");

    var policy = Http.json(api.get("/v1/pools/" + room.pool())).get("policy");

    assertThat(policy.get("waitingRoom").asBoolean()).isTrue();
    assertThat(policy.get("maxInside").asInt()).isEqualTo(3);
    assertThat(policy.get("graceSeconds").asInt()).isEqualTo(60);
    assertThat(policy.get("passSeconds").asInt()).isEqualTo(300);
    assertThat(policy.get("order").asText()).isEqualTo("FIFO");
  }

  @Test
  void tickets_and_their_ends_reach_postgres() {
    var room = Room.of(api, 5, "");
    var ticket = room.tickets(2).getFirst();
    room.leave(Api.token(), ticket);

    records.words(room.pool());

    assertThat(
            rows.texts(
                "SELECT requester || ' ' || state FROM ticket WHERE pool = ? ORDER BY place",
                room.pool()))
        .containsExactly("u1 LEFT", "u2 WAITING");
  }

  private static Stock stock(Room room) {
    return new Stock(api, room.pool());
  }

  private static int post(Room room, String body, String pass) {
    return Http.post(
            api.base(),
            "/v1/pools/" + room.pool() + "/holds",
            body,
            "Authorization",
            "Bearer " + api.key(),
            "Idempotency-Key",
            Api.token(),
            "Waiting-Room-Pass",
            pass)
        .statusCode();
  }
}
