package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A call for exactly the items that the requester holds returns that hold, unchanged.
@ExtendWith(RealServers.class)
@Tag("cluster")
class OwnHoldTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  void the_same_items_in_any_order_under_another_token_get_the_existing_hold() {
    var pool = api.pool(3);
    var placed = api.place(pool, Api.token(), "ann", "A-1", "A-2", "A-3");

    var again = api.place(pool, Api.token(), "ann", "A-3", "A-1", "A-2");

    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(placed.body());
    assertThat(again.headers().firstValue("Location"))
        .isEqualTo(placed.headers().firstValue("Location"));
    assertThat(Api.isReplay(again)).isFalse();
    assertThat(api.counts(pool)).isEqualTo("0 free, 3 held");
  }

  @Test
  void other_items_than_those_already_held_are_refused() {
    var pool = api.pool(4);
    api.hold(pool, "ann", "A-1", "A-2");
    api.hold(pool, "ann", "A-3");

    var fewer = api.place(pool, Api.token(), "ann", "A-1");
    var more = api.place(pool, Api.token(), "ann", "A-2", "A-4");
    var ofTwoHolds = api.place(pool, Api.token(), "ann", "A-1", "A-3");

    assertThat(fewer.statusCode()).isEqualTo(409);
    assertThat(more.statusCode()).isEqualTo(409);
    assertThat(Http.json(more).get("items").toString()).isEqualTo("[\"A-2\"]");
    assertThat(ofTwoHolds.statusCode()).isEqualTo(409);
    assertThat(api.counts(pool)).isEqualTo("1 free, 3 held");
  }

  @Test
  void another_requester_or_another_caller_does_not_get_it() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");

    var requester = api.place(pool, Api.token(), "ben", "A-1");
    var caller = api.as("elsewhere", "hold").place(pool, Api.token(), "ann", "A-1");

    assertThat(requester.statusCode()).isEqualTo(409);
    assertThat(caller.statusCode()).isEqualTo(409);
    assertThat(requester.body() + caller.body()).doesNotContain(hold.id(), "ann");
  }
}
