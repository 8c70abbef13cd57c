package io.holdfast.idempotency.store;

import static io.holdfast.idempotency.store.Effects.MINUTE;
import static io.holdfast.idempotency.store.Effects.aToken;
import static io.holdfast.idempotency.store.Effects.call;
import static io.holdfast.idempotency.store.Effects.effect;
import static io.holdfast.idempotency.store.Effects.results;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Collision;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.pool.PoolName;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A request under one token is executed once, on one instance or on two.
@ExtendWith(RealServers.class)
class IdempotencyStoreTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static Effects effects;
  private static Service one;
  private static Service other;

  @BeforeAll
  static void start(TestServers servers, @TempDir Path folder) throws SQLException {
    one = Effects.start(servers, servers.jdbcUrl(), folder.resolve("one"));
    other = Effects.start(servers, servers.jdbcUrl(), folder.resolve("other"));
    effects = Effects.in(servers);
  }

  @AfterAll
  static void stop() {
    one.close();
    other.close();
  }

  @Test
  void the_first_answer_is_repeated_byte_for_byte() {
    var call = call(aToken(), "a", MINUTE);
    var answer = new Answer(201, new byte[] {0, 1, (byte) 0xff});

    var first = results(one).once(call, _ -> answer);
    var again = results(other).once(call, _ -> new Answer(200, new byte[0]));

    assertThat(first).isEqualTo(new Done(answer));
    assertThat(again).isInstanceOf(Replayed.class);
    assertThat(((Replayed) again).answer().status()).isEqualTo(201);
    assertThat(((Replayed) again).answer().body()).isEqualTo(answer.body());
  }

  @Test
  void another_request_under_the_same_token_collides() {
    var token = aToken();
    results(one).once(call(token, "a", MINUTE), effect(token));

    var outcome = results(one).once(call(token, "b", MINUTE), effect(token));

    assertThat(outcome).isEqualTo(new Collision());
    assertThat(effects.under(token)).isOne();
  }

  @Test
  void a_token_belongs_to_one_caller_and_to_one_route_or_one_pool() {
    var token = aToken();
    var digest = Digest.of("x", List.of(), Map.of());
    var calls =
        List.of(
            new IdempotentRouteCall("shop", Route.CREATE_KEY, token, digest, MINUTE),
            new IdempotentRouteCall("till", Route.CREATE_KEY, token, digest, MINUTE),
            new IdempotentRouteCall("shop", Route.REVOKE_KEY, token, digest, MINUTE),
            call(token, "a", MINUTE).in(new PoolName("arena")),
            call(token, "a", MINUTE).in(new PoolName("hall")));

    assertThat(calls)
        .allSatisfy(
            call -> assertThat(results(one).once(call, effect(token))).isInstanceOf(Done.class));
  }

  @Test
  void after_its_window_a_token_is_fresh_for_any_request() {
    var token = aToken();
    results(one).once(call(token, "a", Duration.ofMillis(1)), effect(token));

    Await.until(
        PATIENCE, () -> results(one).once(call(token, "b", MINUTE), effect(token)) instanceof Done);

    assertThat(results(one).once(call(token, "b", MINUTE), effect(token)))
        .isInstanceOf(Replayed.class);
    assertThat(effects.under(token)).isEqualTo(2);
  }

  @Test
  void of_concurrent_equal_tokens_one_is_executed_and_the_others_get_its_answer() throws Exception {
    var token = aToken();
    var outcomes = new ArrayList<IdempotentResult>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var calls =
          IntStream.range(0, 12)
              .<Callable<IdempotentResult>>mapToObj(
                  i ->
                      () ->
                          results(i % 2 == 0 ? one : other)
                              .once(call(token, "a", MINUTE), effect(token)))
              .toList();
      for (var outcome : threads.invokeAll(calls)) {
        outcomes.add(outcome.get());
      }
    }

    assertThat(outcomes).filteredOn(Done.class::isInstance).hasSize(1);
    assertThat(outcomes).filteredOn(Replayed.class::isInstance).hasSize(11);
    assertThat(effects.under(token)).isOne();
  }

  @Test
  void elapsed_entries_are_deleted_and_others_stay() throws SQLException {
    var kept = aToken();
    results(one).once(call(kept, "a", MINUTE), effect(kept));
    results(one).once(call(aToken(), "a", Duration.ofMillis(1)), effect(kept));
    var purge = one.context().getBean(IdempotencyPurge.class);

    Await.until(
        PATIENCE,
        () -> {
          purge.purge();
          return effects.count("SELECT count(*) FROM request_result WHERE window_end < now()") == 0;
        });

    assertThat(results(one).once(call(kept, "a", MINUTE), effect(kept)))
        .isInstanceOf(Replayed.class);
  }

  @Test
  void one_run_deletes_elapsed_entries_of_many_batches() throws SQLException {
    effects
        .schema()
        .execute(
            """
            INSERT INTO request_result (caller, route, token_hash, digest, digest_function,
                                        recorded_at, window_end)
            SELECT 'many', 'create_pool', sha256(int4send(n)), 'd', '1',
                   now() - interval '2 days', now() - interval '1 day'
              FROM generate_series(1, 2500) AS n
            """);

    one.context().getBean(IdempotencyPurge.class).purge();

    Await.until( // another instance may be deleting some of them
        PATIENCE,
        () -> effects.count("SELECT count(*) FROM request_result WHERE caller = 'many'") == 0);
  }
}
