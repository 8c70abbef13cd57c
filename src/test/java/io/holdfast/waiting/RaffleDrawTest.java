package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolName;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.holdfast.waiting.WaitingReplies.Head;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A raffle is drawn only when Postgres has every ticket that joined in time. The test draws, not
/// the service.
@ExtendWith(RealServers.class)
class RaffleDrawTest {
  @TempDir static Path folder;

  private static Service service;
  private static Api api;

  @BeforeAll
  static void open(TestServers servers) {
    service = Instances.start(servers, folder.resolve("data"), Map.of());
    TaskControl.stop(service.context().getBean(PeriodicTasks.class), "admissions");
    api = Api.of(service);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  void a_raffle_is_not_drawn_before_the_opening_by_the_clock_of_redis() {
    var opensAt = Instant.now().plusSeconds(3);
    var room = raffle(opensAt);
    Await.moment(opensAt.plusMillis(50));

    draw(room, new Head(counts(head(room).counts().epoch()), 1, 0, 0, 0, before(opensAt), NONE));
    assertThat(proof(room).get("drawnAt").isNull()).isTrue();
    draw(room, head(room));

    assertThat(proof(room).get("tickets").asInt()).isEqualTo(1);
    assertThat(proof(room).get("drawnAt").asText()).matches(".*\\.\\d{3}Z");
  }

  @Test
  void a_raffle_is_not_drawn_with_what_was_seen_before_a_loss_of_redis() {
    var opensAt = Instant.now().plusSeconds(3);
    var room = raffle(opensAt);
    Await.moment(opensAt.plusMillis(50));
    var now = head(room);

    draw(room, new Head(counts(now.counts().epoch() + 1), 1, 0, 0, 0, now.now(), NONE));

    assertThat(proof(room).get("drawnAt").isNull()).isTrue();
  }

  private static final List<WaitingTicket> NONE = List.of();

  private static Instant before(Instant moment) {
    return moment.minusMillis(1);
  }

  private static PoolCounts counts(long epoch) {
    return new PoolCounts(epoch, 0, 0, 0, 100L);
  }

  /// With one ticket.
  private static Room raffle(Instant opensAt) {
    var room = Room.of(api, 100, ",\"order\":\"RAFFLE\",\"opensAt\":\"%s\"".formatted(opensAt));
    room.ticket("u1");
    assertThat(Instant.now()).as("joined in time").isBefore(opensAt);
    return room;
  }

  private static Head head(Room room) {
    return service.context().getBean(WaitingScripts.class).head(pool(room).name(), 0);
  }

  private static void draw(Room room, Head head) {
    service.context().getBean(Raffle.class).drawIfDue(pool(room), head);
  }

  private static Pool pool(Room room) {
    return service
        .context()
        .getBean(PoolRegistry.class)
        .find(new PoolName(room.pool()))
        .orElseThrow();
  }

  private static JsonNode proof(Room room) {
    return Http.json(api.get("/v1/pools/" + room.pool() + "/queue/proof"));
  }
}
