package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A hold is HELD and then in exactly one final state; the values it was placed with never change.
@ExtendWith(RealServers.class)
@Tag("cluster")
class HoldLifecycleTest {
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    records = new Records(servers, api);
  }

  @Test
  @Requirement({"PC-INV-1", "PC-INV-2", "PC-INV-8", "PC-FB-1"})
  void a_hold_is_in_one_state_at_a_time_and_the_counts_move_with_it() {
    var pool = api.pool(4);

    var hold = api.hold(pool, "ann", "A-1", "A-2");
    var held = api.counts(pool);
    var whileHeld = states(pool, hold.id());
    var released = api.release(hold.id(), Api.token(), "ann");

    assertThat(held).isEqualTo("2 free, 2 held");
    assertThat(whileHeld).containsExactly("HELD");
    assertThat(api.counts(pool)).isEqualTo("4 free, 0 held");
    assertThat(states(pool, hold.id())).containsExactly("RELEASED");
    assertThat(Api.time(released, "endedAt")).isAfterOrEqualTo(Api.time(released, "placedAt"));
    assertThat(records.holds(pool)).isEqualTo(1);
  }

  @Test
  @Requirement({"PC-INV-3", "PC-DP-3", "PC-DP-4"})
  void an_ended_hold_never_changes() {
    var pool = api.pool(2);
    var released = api.hold(pool, "ann", "A-1");
    var expired = api.hold(pool, "ann", "A-2");
    api.release(released.id(), Api.token(), "ann");
    api.expire(expired.id(), Api.token(), true);

    for (var hold : new Api.Hold[] {released, expired}) {
      var before = api.read(hold.id()).body();
      var answers =
          Stream.of(
              api.release(hold.id(), Api.token(), "ann"),
              api.expire(hold.id(), Api.token(), false),
              api.expire(hold.id(), Api.token(), true),
              api.heartbeat(hold.id(), "ann", hold.fence()));

      assertThat(answers).extracting(a -> a.statusCode() + Api.code(a)).containsOnly("409not-held");
      assertThat(api.read(hold.id()).body()).isEqualTo(before);
    }
    assertThat(records.words(pool)).containsOnlyOnce("RELEASED").containsOnlyOnce("EXPIRED");
  }

  @Test
  @Requirement({"PC-INV-4", "PC-INV-5", "PC-INV-6", "PC-EC-2"})
  void the_values_of_a_placed_hold_never_change_and_no_call_renews_it() {
    var pool = api.pool(1);
    var placed = api.place(pool, Api.token(), "ann", "A-1");
    var hold = Api.Hold.of(placed);

    api.heartbeat(hold.id(), "ann", hold.fence());
    var longer = "{\"requester\":\"ann\",\"items\":[\"A-1\"],\"leaseSeconds\":1800}";
    var again = api.post("/v1/pools/" + pool + "/holds", Api.token(), longer);
    var released = api.release(hold.id(), Api.token(), "ann");
    var anew = api.hold(pool, "ann", "A-1");

    assertThat(again.statusCode()).isEqualTo(200);
    for (var field :
        new String[] {"holdId", "items", "requester", "fence", "placedAt", "expiresAt"}) {
      assertThat(Http.json(again).get(field)).isEqualTo(Http.json(placed).get(field));
      assertThat(Http.json(released).get(field)).isEqualTo(Http.json(placed).get(field));
    }
    assertThat(Api.time(again, "leaseUntil"))
        .isBefore(Api.time(again, "placedAt").plusSeconds(1_000));
    assertThat(Api.time(placed, "placedAt")).isBefore(Api.time(placed, "expiresAt"));
    assertThat(anew.id()).isNotEqualTo(hold.id());
  }

  @Test
  @Requirement("PC-EC-1")
  void a_hold_ends_as_a_whole() {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1", "A-2");
    var path = "/v1/holds/" + hold.id() + "/release";

    var part = api.post(path, Api.token(), "{\"requester\":\"ann\",\"items\":[\"A-1\"]}");
    var afterPart = api.counts(pool);
    api.release(hold.id(), Api.token(), "ann");

    assertThat(part.statusCode()).isEqualTo(400);
    assertThat(afterPart).isEqualTo("0 free, 2 held");
    assertThat(api.counts(pool)).isEqualTo("2 free, 0 held");
  }

  @Test
  @Requirement({"PC-DP-3", "PC-DP-4", "H-7"})
  void an_unknown_hold_is_not_known_and_a_running_one_is_not_expired() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var nobodys = hold.id().substring(0, hold.id().length() - 16) + "0123456789abcdef";

    var release = api.release(nobodys, Api.token(), "ann");
    var expire = api.expire(nobodys, Api.token(), true);
    var early = api.expire(hold.id(), Api.token(), false);

    assertThat(release.statusCode() + Api.code(release)).isEqualTo("404not-known");
    assertThat(expire.statusCode() + Api.code(expire)).isEqualTo("404not-known");
    assertThat(early.statusCode() + Api.code(early)).isEqualTo("409window-not-elapsed");
    assertThat(states(pool, hold.id())).containsExactly("HELD");
  }

  /// Under which states a hold is listed; reading it must agree.
  private static Stream<String> states(String pool, String holdId) {
    var read = Http.json(api.read(holdId)).get("state").asText();
    var listed =
        Stream.of("HELD", "CONFIRMED", "RELEASED", "EXPIRED")
            .filter(
                state ->
                    api.get("/v1/pools/" + pool + "/holds?state=" + state).body().contains(holdId))
            .toList();
    assertThat(listed).contains(read);
    return listed.stream();
  }
}
