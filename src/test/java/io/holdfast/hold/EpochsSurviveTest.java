package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.calm;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RedisServer;
import io.holdfast.testing.Requirement;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Fences grow although Redis loses its data or comes back with old data.
@ExtendWith(RealServers.class)
class EpochsSurviveTest extends ChangingRedis {

  @Test
  @Requirement({"BR-F-1", "BR-F-6"})
  void fences_grow_after_a_flush() {
    wire.leadTo(first.uri());
    calm(ChangingRedis::anyPool);
    var pool = api.pool(20);
    var fences = new ArrayList<Long>();

    for (var life = 0; life < 4; life++) {
      fences.addAll(grants(pool, life));
      first.on(RedisCommands::flushall);
    }
    fences.addAll(grants(pool, 4));

    assertThat(fences).isSorted().doesNotHaveDuplicates();
    assertThat(epochs(fences)).hasSize(5);
  }

  @Test
  @Requirement({"BR-F-1", "BR-F-6"})
  void fences_grow_when_a_server_restarts_empty() {
    try (var server = RedisServer.forgetful(folder.resolve("forgetful"))) {
      wire.leadTo(server.uri());
      calm(ChangingRedis::anyPool);
      var pool = api.pool(20);
      var fences = new ArrayList<>(grants(pool, 0));

      server.kill();
      server.start();
      fences.addAll(grants(pool, 1));

      assertThat(fences).isSorted().doesNotHaveDuplicates();
      assertThat(epochs(fences)).hasSize(2);
    }
  }

  @Test
  @Requirement({"BR-F-1", "BR-F-6", "IR-ST-01"})
  void data_of_a_restarted_server_are_taken_over_in_a_new_epoch() {
    try (var server = RedisServer.lasting(folder.resolve("lasting"))) {
      wire.leadTo(server.uri());
      calm(ChangingRedis::anyPool);
      var pool = api.pool(20);
      var fences = new ArrayList<>(grants(pool, 0));
      var token = Api.token();
      var placed = api.place(pool, token, "anna", "A-19", "A-20");
      var releaseToken = Api.token();
      var other = api.hold(pool, "berta", "A-18");
      var released = api.release(other.id(), releaseToken, "berta");

      server.kill();
      server.start();
      calm(() -> api.get("/v1/pools/" + pool));

      var again = decided(() -> api.place(pool, token, "anna", "A-19", "A-20"));
      assertThat(again.body()).isEqualTo(placed.body());
      assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
      assertThat(api.release(other.id(), releaseToken, "berta").body()).isEqualTo(released.body());
      var hold = Hold.of(placed);
      assertThat(api.heartbeat(hold.id(), "anna", hold.fence()).statusCode()).isEqualTo(200);
      assertThat(api.place(pool, Api.token(), "carl", "A-20").statusCode()).isEqualTo(409);
      assertThat(counts(pool)).isEqualTo("{\"free\":15,\"held\":5,\"sold\":0,\"blocked\":0}");
      fences.add(hold.fence());
      fences.add(other.fence());
      fences.add(api.hold(pool, "carl", "A-18").fence());
      assertThat(fences).isSorted().doesNotHaveDuplicates();
      assertThat(epochs(fences)).hasSize(2);
    }
  }
}
