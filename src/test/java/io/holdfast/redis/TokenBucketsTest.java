package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A token counts for exactly its window, wherever in a bucket that begins, and old buckets are
/// unlinked. The clock is moved to the millisecond.
@ExtendWith(RealServers.class)
class TokenBucketsTest {
  private static final long WINDOW = 5_000;

  /// A bucket begins then.
  private static final long EDGE = 1_800_000_000_000L;

  private static final String REFUSAL = "INVALID\titems";
  private static final String FRESH = "REFUSED\t" + REFUSAL;
  private static final String AGAIN = "REPLAY\t" + REFUSAL;

  private final TestServers servers;

  TokenBucketsTest(TestServers servers) {
    this.servers = servers;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2_500, 4_999})
  void a_token_counts_until_its_window_is_over_to_the_millisecond(long intoTheBucket) {
    var used = EDGE + intoTheBucket;
    onOpenPool(
        memory -> {
          assertThat(refuse(memory, used)).isEqualTo(FRESH);
          assertThat(refuse(memory, used)).isEqualTo(AGAIN);
          assertThat(refuse(memory, used + WINDOW - 1)).isEqualTo(AGAIN);
          assertThat(refuse(memory, used + WINDOW)).isEqualTo(FRESH);
          assertThat(refuse(memory, used + 2 * WINDOW - 1)).isEqualTo(AGAIN);
          assertThat(refuse(memory, used + 2 * WINDOW)).isEqualTo(FRESH);
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2_500, 4_999})
  void the_sweep_unlinks_a_bucket_when_its_last_token_is_over_and_tells_when(long intoTheBucket) {
    var over = EDGE + 2 * WINDOW;
    onOpenPool(
        memory -> {
          refuse(memory, EDGE + intoTheBucket);

          assertThat(sweep(memory, EDGE + intoTheBucket)).containsExactly("SWEPT\t" + over);
          assertThat(sweep(memory, over - 1)).containsExactly("SWEPT\t" + over);
          assertThat(memory.contents()).containsKey(bucket(EDGE));
          assertThat(sweep(memory, over)).containsExactly("SWEPT\t");
          assertThat(memory.contents()).doesNotContainKey(bucket(EDGE));
        });
  }

  @Test
  void the_sweep_takes_the_earlier_of_two_buckets_first() {
    onOpenPool(
        memory -> {
          refuse(memory, EDGE + 1);
          refuse(memory, EDGE + WINDOW + 1);

          assertThat(sweep(memory, EDGE + WINDOW + 1))
              .containsExactly("SWEPT\t" + (EDGE + 2 * WINDOW));
          assertThat(sweep(memory, EDGE + 2 * WINDOW))
              .containsExactly("SWEPT\t" + (EDGE + 3 * WINDOW));
          assertThat(memory.contents()).doesNotContainKey(bucket(EDGE));
          assertThat(memory.contents()).containsKey(bucket(EDGE + WINDOW));
        });
  }

  @Test
  void a_clock_set_back_over_the_edge_of_a_bucket_revives_no_token() {
    onOpenPool(
        memory -> {
          refuse(memory, EDGE + 10);

          assertThat(refuse(memory, EDGE - 10)).isEqualTo(AGAIN);
          assertThat(sweep(memory, EDGE - 10)).containsExactly("SWEPT\t" + (EDGE + 2 * WINDOW));
          assertThat(refuse(memory, EDGE + 20)).isEqualTo(AGAIN);
          assertThat(refuse(memory, EDGE + 10 + WINDOW)).isEqualTo(FRESH);
        });
  }

  /// It was sold before the edge, the answer was lost, and it was tried again behind the edge.
  @Test
  void the_outcome_of_a_commit_replaces_the_note_that_it_runs_in_whichever_bucket_that_is() {
    onOpenPool(
        memory -> {
          memory.setClock(EDGE - 100);
          var placed =
              memory.call(
                  "hold/place",
                  3_000,
                  2,
                  "REFUSE",
                  "shop",
                  "p",
                  "1:x",
                  "u1",
                  3_000,
                  "salt",
                  "A-1",
                  "",
                  "");
          var fence = placed.getFirst().split("\t")[2];
          memory.setClock(EDGE + 10);
          memory.call("hold/pin", 500, 100, 200, "shop", "t", "1:x", fence, "salt", "u1", fence);
          var end =
              "CONFIRMED\t%s\tsalt\tshop\tu1\t1\t2\t3\t4\t5\t\t1\tp\tA-1\t\t".formatted(fence);
          memory.call(
              "hold/settle",
              "shop",
              "t",
              "1:x",
              WINDOW - 60,
              "confirm",
              "CONFIRMED\t" + end,
              fence,
              end,
              "");

          memory.setClock(EDGE - 50 + WINDOW - 1);
          var pinned =
              memory.call(
                  "hold/pin", 500, 100, 200, "shop", "t", "1:x", fence, "salt", "u1", fence);
          assertThat(pinned).containsExactly("REPLAY\tCONFIRMED\t" + end);
          assertThat(refuse(memory, EDGE - 50 + WINDOW - 1)).isEqualTo("COLLISION");
          assertThat(refuse(memory, EDGE - 50 + WINDOW)).isEqualTo(FRESH);
        });
  }

  @Test
  void a_token_restored_from_postgres_keeps_its_window() {
    servers.redis(
        redis -> {
          var memory = new RedisMemory(redis);
          memory.loseAll();
          memory.setClock(EDGE + 10);
          seed(memory);
          var entry = "place_hold\t1:x\t" + REFUSAL;
          memory.call(
              "pool/restore-tokens",
              1,
              "shop",
              "t",
              entry,
              EDGE + 2_000,
              "shop",
              "o",
              entry,
              EDGE + 10);
          memory.call("pool/open", 1);

          assertThat(refuse(memory, EDGE + 1_999)).isEqualTo(AGAIN);
          assertThat(refuse(memory, EDGE + 2_000)).isEqualTo(FRESH);
          assertThat(memory.call("hold/lookup", "shop", "o")).containsExactly("UNSPENT");
          return redis;
        });
  }

  /// The pool had a longer window when it was used.
  @Test
  void a_token_whose_window_is_longer_than_that_of_its_pool_keeps_it() {
    servers.redis(
        redis -> {
          var memory = new RedisMemory(redis);
          memory.loseAll();
          memory.setClock(EDGE + 10);
          seed(memory);
          var until = EDGE + 3 * WINDOW + 700;
          memory.call("pool/restore-tokens", 1, "shop", "t", "place_hold\t1:x\t" + REFUSAL, until);
          memory.call("pool/open", 1);

          assertThat(refuse(memory, EDGE + 20)).isEqualTo(AGAIN);
          assertThat(refuse(memory, EDGE + WINDOW + 10)).isEqualTo(AGAIN);
          assertThat(memory.call("hold/lookup", "shop", "t").getFirst()).startsWith("SPENT");
          assertThat(refuse(memory, until - 1)).isEqualTo(AGAIN);
          assertThat(refuse(memory, until)).isEqualTo(FRESH);
          assertThat(refuse(memory, until + 1)).isEqualTo(AGAIN);
          return redis;
        });
  }

  private void onOpenPool(Consumer<RedisMemory> test) {
    servers.redis(
        redis -> {
          var memory = new RedisMemory(redis);
          memory.loseAll();
          memory.setClock(EDGE - WINDOW);
          seed(memory);
          memory.call("pool/open", 1);
          test.accept(memory);
          return redis;
        });
  }

  private static void seed(RedisMemory memory) {
    memory.call("pool/seed", 1, "SEATS", 0, "TEST", WINDOW, "", "", "");
    memory.call("pool/load", 1, "A-1", "0");
  }

  private static String refuse(RedisMemory memory, long now) {
    memory.setClock(now);
    return memory.call("hold/refuse", "shop", "t", "1:x", "place_hold", REFUSAL).getFirst();
  }

  private static List<String> sweep(RedisMemory memory, long now) {
    memory.setClock(now);
    return memory.call("hold/sweep", 10);
  }

  private static String bucket(long moment) {
    return "tok:" + moment / WINDOW;
  }
}
