package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.HealthProbe.State;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Loops;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
@Tag("slow")
class RedisConnectionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Script COUNT =
      new Script(
          "test/count",
          "return {'COUNTED', tostring(redis.call('INCR', KEYS[1]))}",
          "916b2de0120d3362ba2053b04879ca2bb6b951d6");

  @Test
  void the_options_of_a_live_connection_are_the_ones_we_rely_on(TestServers servers) {
    var settings = settings(servers.redisUri());
    try (var link = RedisConnections.open(settings, Loops.one())) {
      var options = link.connection().getOptions();

      assertThat(options.isAutoReconnect()).isTrue();
      assertThat(options.getDisconnectedBehavior()).isEqualTo(DisconnectedBehavior.REJECT_COMMANDS);
      assertThat(options.isPingBeforeActivateConnection()).isTrue();
      assertThat(options.getRequestQueueSize()).isEqualTo(settings.queueSize());
      assertThat(options.getTimeoutOptions().isTimeoutCommands()).isTrue();
      assertThat(options.getTimeoutOptions().getSource().getTimeout(null))
          .isEqualTo(settings.commandTimeout().toNanos());
      assertThat(options.getSocketOptions().getConnectTimeout())
          .isEqualTo(settings.connectTimeout());
      assertThat(options.getSocketOptions().isKeepAlive()).isTrue();
      assertThat(options.getSocketOptions().isTcpNoDelay()).isTrue();
    }
  }

  @Test
  void a_script_runs_by_its_hash_and_once_by_its_text_where_the_hash_is_unknown(
      TestServers servers) {
    try (var link = RedisConnections.open(settings(servers.redisUri()), Loops.one())) {
      servers.redis(redis -> redis.scriptFlush());

      assertThat(answer(count(link, "by-hash"))).containsExactly("COUNTED", "1");
      assertThat(answer(count(link, "by-hash"))).containsExactly("COUNTED", "2");
      assertThat(servers.<List<Boolean>>redis(redis -> redis.scriptExists(COUNT.sha1())))
          .containsExactly(true);
    }
  }

  @Test
  void a_script_whose_answer_was_lost_is_unknown_and_is_not_run_again(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var link =
            RedisConnections.open(settings(proxy.insteadOf(servers.redisUri())), Loops.one())) {
      answer(count(link, "lost"));

      proxy.dropReply();
      assertThat(failure(count(link, "lost")).isDefinite()).isFalse();
      Await.until(PATIENCE, () -> isAlive(link));

      assertThat(servers.<String>redis(redis -> redis.get("lost"))).isEqualTo("2");
    }
  }

  @Test
  void while_the_connection_is_gone_a_call_is_refused_at_once_and_for_sure(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var link =
            RedisConnections.open(settings(proxy.insteadOf(servers.redisUri())), Loops.one())) {
      proxy.cut();

      Await.until(PATIENCE, () -> failure(count(link, "refused")).isDefinite());

      proxy.heal();
      Await.until(PATIENCE, () -> isAlive(link));
      assertThat(servers.<String>redis(redis -> redis.get("refused"))).isNull();
    }
  }

  @Test
  void a_server_that_falls_silent_ends_a_call_as_unknown_after_the_timeout(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var link =
            RedisConnections.open(settings(proxy.insteadOf(servers.redisUri())), Loops.one())) {
      proxy.halfOpen();

      assertThat(failure(count(link, "silent")).isDefinite()).isFalse();
    }
  }

  @Test
  void a_connection_that_fell_silent_for_ever_is_replaced(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var link =
            RedisConnections.open(settings(proxy.insteadOf(servers.redisUri())), Loops.one())) {
      proxy.forget();
      assertThat(isAlive(link)).isFalse();

      Await.until(PATIENCE, () -> isAlive(link));
    }
  }

  @Test
  void more_calls_than_the_queue_takes_are_refused_for_sure(TestServers servers) {
    var uri = servers.redisUri();
    try (var proxy = FaultProxy.before(uri);
        var link =
            RedisConnections.open(
                new RedisSettings(
                    proxy.insteadOf(uri), Duration.ofSeconds(5), Duration.ofSeconds(2), 16),
                Loops.one())) {
      proxy.halfOpen();
      var waiting = IntStream.range(0, 16).mapToObj(_ -> count(link, "queued")).toList();

      assertThat(failure(count(link, "queued")).isDefinite()).isTrue();
      assertThat(waiting).noneMatch(stage -> stage.toCompletableFuture().isDone());
    }
  }

  @Test
  void a_script_that_redis_itself_refuses_was_not_run(TestServers servers) {
    var broken = new Script("test/broken", "this is not Lua", "0".repeat(40));
    try (var link = RedisConnections.open(settings(servers.redisUri()), Loops.one())) {
      var failure = failure(new RedisScripts(link).call(broken, new String[] {"k"}));

      assertThat(failure.isDefinite()).isTrue();
    }
  }

  @Test
  void a_script_that_fails_half_way_may_have_written(TestServers servers) {
    var text = "redis.call('SET', KEYS[1], 'written'); return {redis.call('INCR', KEYS[1])}";
    var failing = new Script("test/failing", text, "1".repeat(40));
    try (var link = RedisConnections.open(settings(servers.redisUri()), Loops.one())) {
      var failure = failure(new RedisScripts(link).call(failing, new String[] {"half"}));

      assertThat(failure.isDefinite()).as(failure.getMessage()).isFalse();
      assertThat(servers.<String>redis(redis -> redis.get("half"))).isEqualTo("written");
    }
  }

  @Test
  void a_start_waits_for_a_redis_that_is_busy(TestServers servers) {
    try (var link = RedisConnections.open(settings(servers.redisUri()), Loops.one())) {
      link.commands().clientPause(5_000).toCompletableFuture().join();

      RedisConnections.open(settings(servers.redisUri()), Loops.one()).close();
    }
  }

  @Test
  void several_addresses_of_servers_that_form_no_cluster_are_refused(TestServers servers) {
    var twice = settings(servers.redisUri() + "," + servers.redisUri());

    assertThatThrownBy(() -> RedisConnections.open(twice, Loops.one()))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("is not part of a cluster");
  }

  private static RedisSettings settings(String uri) {
    return new RedisSettings(uri, Duration.ofMillis(500), Duration.ofSeconds(2), 64);
  }

  private static CompletionStage<List<String>> count(RedisConnections link, String key) {
    return new RedisScripts(link).call(COUNT, new String[] {key});
  }

  private static List<String> answer(CompletionStage<List<String>> call) {
    return call.toCompletableFuture().join();
  }

  private static RedisUnavailable failure(CompletionStage<List<String>> call) {
    try {
      throw new AssertionError("answered " + answer(call));
    } catch (CompletionException e) {
      return (RedisUnavailable) e.getCause();
    }
  }

  private static boolean isAlive(RedisConnections link) {
    return count(link, "alive").handle((_, failure) -> failure == null).toCompletableFuture().join()
        && new RedisHealthProbe(link).check() == State.UP;
  }
}
