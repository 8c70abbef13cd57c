package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Without Redis nothing is placed, released or expired, every call fails at once, and existing
/// holds survive.
@ExtendWith(RealServers.class)
class StorageFailureTest {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static FaultProxy proxy;
  private static Service service;
  private static Api api;

  @BeforeAll
  static void open(TestServers servers) {
    proxy = FaultProxy.before(servers.redisUri());
    service = RealServers.start(servers, Map.of("redis.uri", proxy.insteadOf(servers.redisUri())));
    api = Api.of(service);
  }

  @AfterAll
  static void close() {
    service.close();
    proxy.close();
  }

  @Test
  @Requirement({"PC-DP-1", "PC-DP-3", "PC-DP-4", "H-7"})
  void a_lost_redis_is_a_storage_failure_that_changes_nothing() {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1");

    proxy.cut();
    var answers =
        List.of(
            api.place(pool, Api.token(), "ben", "A-2"),
            api.release(hold.id(), Api.token(), "ann"),
            api.expire(hold.id(), Api.token(), true),
            api.heartbeat(hold.id(), "ann", hold.fence()));
    proxy.heal();
    Await.until(PATIENCE, () -> api.read(hold.id()).statusCode() == 200);

    assertThat(answers).allSatisfy(StorageFailureTest::assertStorageFailure);
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("HELD");
    assertThat(api.counts(pool)).isEqualTo("1 free, 1 held");
  }

  @Test
  void a_lost_answer_is_repeated_under_the_same_token() {
    var pool = api.pool(1);
    var token = Api.token();

    proxy.dropReplyTo(token); // and not to what the service asks Redis by itself
    var lost = api.place(pool, token, "ann", "A-1");
    proxy.heal();
    Await.until(PATIENCE, () -> api.get("/v1/pools/" + pool).statusCode() == 200);
    var told = api.place(pool, token, "ann", "A-1");

    assertThat(lost.statusCode()).isEqualTo(503);
    assertThat(told.statusCode()).isEqualTo(201);
    assertThat(api.counts(pool)).isEqualTo("0 free, 1 held");
  }

  private static void assertStorageFailure(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(Api.code(answer)).isEqualTo("storage-failure");
    assertThat(Http.json(answer).get("retryable").asBoolean()).isTrue();
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
  }
}
