package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The walkthrough of the first document, step by step, with a window of three seconds in the place
/// of ten minutes.
@ExtendWith(RealServers.class)
@Tag("cluster")
class WalkthroughTest {
  private static final long WINDOW_MS = 3_000;

  @Test
  @Requirement({"IR-WT-1", "IR-WT-2", "IR-WT-3", "IR-WT-4", "IR-WT-5", "IR-WT-6", "IR-INV-7a"})
  void a_room_is_held_once_confirmed_once_and_stays_taken(TestServers servers, Service service) {
    var api = Api.of(service);
    var hotel = "hotel-" + UUID.randomUUID();
    var rows = Rows.of(servers);
    api.createPool(
        hotel,
        List.of("room_307"),
        "{\"idempotencyWindowSeconds\":3,\"leaseSeconds\":86400,\"windowSeconds\":86400}");

    var placed = api.place(hotel, "idem_x73a", "guest_g91", "room_307");
    assertThat(placed.statusCode()).isEqualTo(201);
    assertThat(placed.body()).contains("\"state\":\"HELD\"");
    for (var retry = 1; retry <= 3; retry++) {
      var again = api.place(hotel, "idem_x73a", "guest_g91", "room_307");
      assertThat(again.body()).isEqualTo(placed.body());
      assertThat(Api.isReplay(again)).isTrue();
    }
    var room = Hold.of(placed);
    var confirmed = api.confirm(room, "idem_y22", "guest_g91", "order-1");
    assertThat(confirmed.statusCode()).isEqualTo(200);
    assertThat(confirmed.body()).contains("\"state\":\"CONFIRMED\"");
    assertThat(api.confirm(room, "idem_y22", "guest_g91", "order-1").body())
        .isEqualTo(confirmed.body());

    Await.moment(Api.time(placed, "placedAt").plusMillis(WINDOW_MS));
    var afresh = api.place(hotel, "idem_x73a", "guest_g91", "room_307");
    assertThat(Api.code(afresh)).isEqualTo("resource-unavailable");
    assertThat(Api.isReplay(afresh)).isFalse();
    var cached = api.place(hotel, "idem_x73a", "guest_g91", "room_307");
    assertThat(cached.body()).isEqualTo(afresh.body());
    assertThat(Api.isReplay(cached)).isTrue();
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE pool = ?", hotel)).isEqualTo(1);
  }
}
