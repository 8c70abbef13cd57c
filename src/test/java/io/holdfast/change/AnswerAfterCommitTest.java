package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Postgres is lost right after it has committed a change of a pool. The answer tells the change,
/// and Redis learns it. No other instance runs that could tell Redis.
@ExtendWith(RealServers.class)
class AnswerAfterCommitTest {
  private static final String RECORD = "INSERT INTO pool_change";

  private final TestServers servers;
  private FaultProxy proxy;
  private Service service;
  private Api api;

  AnswerAfterCommitTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() {
    proxy = FaultProxy.before(servers.jdbcUrl());
    var settings = Map.<String, Object>of("jdbc.url", proxy.insteadOf(servers.jdbcUrl()));
    service = RealServers.start(servers, settings);
    api = Api.of(service);
  }

  @AfterEach
  void close() {
    proxy.heal();
    service.close();
    proxy.close();
  }

  @Test
  void a_change_of_rules_is_answered_and_in_force() {
    var pool = api.pool(2);
    var token = Api.token();
    proxy.cutAfterCommitOf(RECORD);

    var changed = api.patch("/v1/pools/" + pool, token, "{\"closed\":true}");

    assertThat(proxy.isStruck()).isTrue();
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    assertThat(Http.json(changed).get("closed").asBoolean()).isTrue();
    assertThat(rulesInRedis(pool)).startsWith("1\t0\t0\t");
    proxy.heal();
    var replayed =
        RetryingClient.decided(() -> api.patch("/v1/pools/" + pool, token, "{\"closed\":true}"));
    assertThat(replayed.body()).isEqualTo(changed.body());
  }

  /// The pool cannot be loaded, so its first use does it.
  @Test
  void a_change_that_loads_the_pool_again_is_answered_and_in_force() {
    var pool = api.pool(3);
    proxy.cutAfterCommitOf(RECORD);

    var changed =
        api.patch(
            "/v1/pools/" + pool,
            Api.token(),
            "{\"policy\":{\"maxItemsPerRequester\":1,\"idempotencyWindowSeconds\":1200}}");

    assertThat(proxy.isStruck()).isTrue();
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    assertThat(rulesInRedis(pool)).startsWith("1\t").endsWith("\t1");
    proxy.heal();
    RetryingClient.calm(() -> api.get("/v1/pools/" + pool));
    assertThat(api.hold(pool, "ann", "A-1").fence()).isPositive();
    assertThat(api.place(pool, Api.token(), "ann", "A-2").statusCode()).isEqualTo(429);
  }

  @Test
  void an_addition_of_items_is_answered_and_in_force() {
    var pool = api.pool(2);
    proxy.cutAfterCommitOf(RECORD);

    var added =
        api.post("/v1/pools/" + pool + "/items", Api.token(), "{\"items\":[{\"item\":\"B-1\"}]}");

    assertThat(proxy.isStruck()).isTrue();
    assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
    assertThat(rulesInRedis(pool)).startsWith("1\t");
    assertThat(api.place(pool, Api.token(), "ann", "B-1").statusCode()).isEqualTo(201);
    proxy.heal();
    RetryingClient.calm(() -> api.get("/v1/pools/" + pool));
    assertThat(Rows.of(servers).number("SELECT item_count FROM pool WHERE pool = ?", pool))
        .isEqualTo(3);
  }

  private String rulesInRedis(String pool) {
    return servers.redis(redis -> redis.hget("{p:%s}:meta".formatted(pool), "rules"));
  }
}
