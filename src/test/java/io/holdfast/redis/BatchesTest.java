package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Calls have the same answers and effects in one batch as one by one. `HOLDFAST_TEST_SEED` in the
/// environment repeats a run.
@Tag("slow")
@ExtendWith(RealServers.class)
class BatchesTest {
  private static final int BATCHES = 1_500;

  /// Some words are rare: the run goes on until each was seen, and fails if one never comes.
  private static final int BATCHES_MAX = 10 * BATCHES;

  private static final int LOOK_EVERY = 10;
  private static final long START = 1_800_000_000_000L;
  private static final Set<String> WORDS =
      Stream.of(
              "hold/place: HELD TAKEN SAME LIMIT NO_SUCH_ITEM REPLAY COLLISION DRIFT",
              "hold/best: HELD NEXT TAKEN REPLAY",
              "hold/extend: EXTENDED STALE_FENCE ELAPSED",
              "hold/release: RELEASED PINNED REPLAY",
              "hold/expire: EXPIRED PINNED REPLAY",
              "hold/refuse: REFUSED REPLAY COLLISION",
              "hold/pin: PINNED REPLAY COLLISION",
              "hold/unpin: UNPINNED OTHER",
              "hold/keep: KEPT",
              "hold/settle: SETTLED",
              "hold/read: HOLDS",
              "hold/lookup: SPENT UNSPENT")
          .map(line -> line.split(": "))
          .flatMap(line -> Stream.of(line[1].split(" ")).map(word -> line[0] + " " + word))
          .collect(Collectors.toUnmodifiableSet());

  private final long seed =
      Optional.ofNullable(System.getenv("HOLDFAST_TEST_SEED"))
          .map(Long::valueOf)
          .orElseGet(System::nanoTime);
  private final Random random = new Random(seed);
  private final RandomBatches batches = new RandomBatches(random);
  private final Map<String, Integer> words = new TreeMap<>();

  @Test
  void a_batch_has_the_outcomes_and_the_effects_of_its_calls_made_one_by_one(TestServers servers) {
    System.out.println("HOLDFAST_TEST_SEED=" + seed);

    servers.redis(
        redis -> {
          assertAllSame(new RedisMemory(redis, "batched"), new RedisMemory(redis, "single"));
          return redis;
        });

    System.out.println(words);
    assertThat(words).containsKeys(WORDS.toArray(String[]::new));
  }

  private void assertAllSame(RedisMemory batched, RedisMemory single) {
    var now = START;
    batched.setClock(now);
    List.of(batched, single).forEach(BatchesTest::open);
    for (var i = 0; i < BATCHES || i < BATCHES_MAX && !words.keySet().containsAll(WORDS); i++) {
      var batch = batches.next(now);
      assertSame(batch, batched, single);
      if (i % LOOK_EVERY == 0) {
        assertThat(batched.contents()).isEqualTo(single.contents());
      }
      now += random.nextInt(200);
      batched.setClock(now);
      if (random.nextInt(10) == 0) {
        assertThat(batched.call("hold/sweep", 3)).isEqualTo(single.call("hold/sweep", 3));
      }
    }
    assertThat(batched.contents()).isEqualTo(single.contents());
  }

  private void assertSame(RandomBatches.Batch batch, RedisMemory batched, RedisMemory single) {
    var outcomes = call(batched, batch, batch.calls().stream().flatMap(List::stream));
    var oneByOne =
        batch.calls().stream()
            .map(texts -> call(single, batch, texts.stream()).getFirst())
            .toList();

    assertThat(outcomes).as(batch.toString()).isEqualTo(oneByOne);
    outcomes.forEach(
        outcome ->
            words.merge(batch.script() + " " + ScriptExample.word(outcome), 1, Integer::sum));
    batches.placed(outcomes.stream().filter(outcome -> outcome.startsWith("HELD\t")).count());
  }

  private static List<String> call(
      RedisMemory memory, RandomBatches.Batch batch, Stream<String> texts) {
    return memory.call(batch.script(), Stream.concat(batch.header().stream(), texts).toArray());
  }

  private static void open(RedisMemory memory) {
    var items = RandomBatches.ITEMS.stream().flatMap(item -> Stream.of(item, "0"));
    memory.call(
        "pool/seed", RandomBatches.EPOCH, "SEATS", 0, "TEST", RandomBatches.WINDOW_MS, "", "", "");
    memory.call("pool/load", Stream.concat(Stream.of(RandomBatches.EPOCH), items).toArray());
    memory.call("pool/open", RandomBatches.EPOCH);
  }
}
