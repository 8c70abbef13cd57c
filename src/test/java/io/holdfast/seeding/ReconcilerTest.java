package io.holdfast.seeding;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The reconciler corrects wrong data in Redis.
@ExtendWith(RealServers.class)
@Tag("cluster")
class ReconcilerTest {
  @Test
  void redis_is_put_right_and_the_drift_is_counted(TestServers servers, Service service) {
    var api = Api.of(service);
    var pool = api.pool(3);
    var meta = "{p:%s}:meta".formatted(pool);
    var hold = api.hold(pool, "ann", "A-1");
    assertThat(api.confirm(hold, Api.token(), "ann", "order-1").statusCode()).isEqualTo(200);
    var before = repaired(api);

    servers.redis(redis -> redis.hset(meta, "item:A-1", "0"));
    servers.redis(redis -> redis.hset(meta, "item:A-2", "0 SOLD"));
    servers.redis(redis -> redis.hdel(meta, "item:A-3"));

    Await.until(
        PATIENCE,
        () ->
            servers.redis(redis -> redis.hmget(meta, "item:A-1", "item:A-2", "item:A-3")).stream()
                .map(field -> field.getValueOrElse("none"))
                .toList()
                .equals(java.util.List.of("1 SOLD", "0", "0")));
    Await.until(PATIENCE, () -> repaired(api) >= before + 3);
    assertThat(Api.code(api.place(pool, Api.token(), "bob", "A-1")))
        .isEqualTo("resource-unavailable");
    assertThat(api.hold(pool, "bob", "A-2", "A-3").fence()).isGreaterThan(hold.fence());
  }

  private static double repaired(Api api) {
    return Http.get(api.base(), "/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith("holdfast_drift_repaired_total"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }
}
