package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A heartbeat extends the lease of its holder only, to its full length and never past the window.
@ExtendWith(RealServers.class)
@Tag("cluster")
class HeartbeatTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  @Requirement({"BR-T-7", "H-6"})
  void a_heartbeat_resets_the_lease_to_its_full_length() {
    var pool = api.pool(1);
    var placed = api.place(pool, Api.token(), "ann", "A-1");
    var hold = Api.Hold.of(placed);
    var later = Api.time(placed, "placedAt").plusMillis(50);
    Await.until(PATIENCE, () -> Instant.now().isAfter(later));

    var beat = api.heartbeat(hold.id(), "ann", hold.fence());

    assertThat(beat.statusCode()).as(beat.body()).isEqualTo(200);
    assertThat(Http.json(placed).get("heartbeatSeconds").asInt()).isEqualTo(120);
    assertThat(Api.time(placed, "leaseUntil"))
        .isEqualTo(Api.time(placed, "placedAt").plusSeconds(600));
    assertThat(Api.time(beat, "leaseUntil"))
        .isBetween(later.plusSeconds(600), Instant.now().plusSeconds(601));
    assertThat(Api.time(beat, "expiresAt")).isEqualTo(Api.time(placed, "expiresAt"));
    assertThat(leaseUntil(hold)).isEqualTo(Api.time(beat, "leaseUntil"));
  }

  @Test
  @Requirement({"PC-INV-6", "BR-T-1", "H-6", "H-11"})
  void no_heartbeat_moves_the_window_and_none_succeeds_after_it() {
    var pool = api.pool(1, "{\"leaseSeconds\":3,\"windowSeconds\":4}");
    var placed = api.place(pool, Api.token(), "ann", "A-1");
    var hold = Api.Hold.of(placed);

    Await.until(
        PATIENCE,
        () -> {
          var beat = api.heartbeat(hold.id(), "ann", hold.fence());
          if (beat.statusCode() == 200) {
            assertThat(Api.time(beat, "expiresAt")).isEqualTo(Api.time(placed, "expiresAt"));
            assertThat(Api.time(beat, "leaseUntil"))
                .isBeforeOrEqualTo(Api.time(placed, "expiresAt"));
          }
          return beat.statusCode() != 200;
        });

    assertRefused(api.heartbeat(hold.id(), "ann", hold.fence()), 410, "window-elapsed");
    var ended = api.read(hold.id());
    assertThat(Http.json(ended).path("endReason").asText()).as(ended.body()).isEqualTo("WINDOW");
    assertThat(Api.time(ended, "endedAt")).isAfterOrEqualTo(Api.time(placed, "expiresAt"));
  }

  @Test
  @Requirement("BR-T-8")
  void only_the_holder_with_its_fence_can_send_heartbeats() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var before = leaseUntil(hold);

    assertRefused(api.heartbeat(hold.id(), "ben", hold.fence()), 409, "not-held");
    assertRefused(api.heartbeat(hold.id(), "ann", hold.fence() + 1), 409, "stale-fence");
    assertRefused(api.heartbeat(hold.id(), "ann", hold.fence() - 1), 409, "stale-fence");
    var foreign = api.as("elsewhere", "hold").heartbeat(hold.id(), "ann", hold.fence());
    assertRefused(foreign, 404, "not-known");

    assertThat(leaseUntil(hold)).isEqualTo(before);
  }

  @Test
  @Requirement("BR-T-9")
  void a_heartbeat_of_a_former_holder_is_refused_and_extends_nothing() {
    var pool = api.pool(1, "{\"leaseSeconds\":1}");
    var late = api.hold(pool, "ann", "A-1");
    var body = "{\"requester\":\"ben\",\"items\":[\"A-1\"],\"leaseSeconds\":600}";
    Await.until(
        PATIENCE,
        () -> api.post("/v1/pools/" + pool + "/holds", Api.token(), body).statusCode() == 201);
    var next = Api.Hold.of(api.post("/v1/pools/" + pool + "/holds", Api.token(), body));
    var before = leaseUntil(next);

    var beat = api.heartbeat(late.id(), "ann", late.fence());

    assertRefused(beat, 410, "window-elapsed");
    assertRefused(api.heartbeat(next.id(), "ann", late.fence()), 409, "not-held");
    assertRefused(api.heartbeat(next.id(), "ben", late.fence()), 409, "stale-fence");
    assertThat(leaseUntil(next)).isEqualTo(before);
  }

  private static Instant leaseUntil(Api.Hold hold) {
    return Api.time(api.read(hold.id()), "leaseUntil");
  }

  private static void assertRefused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode() + " " + Api.code(answer)).isEqualTo(status + " " + code);
  }
}
