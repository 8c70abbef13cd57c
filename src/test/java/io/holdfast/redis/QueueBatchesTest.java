package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Calls on a queue and on an auction have the same answers and effects in one batch as one by one.
/// `HOLDFAST_TEST_SEED` in the environment repeats a run.
@ExtendWith(RealServers.class)
class QueueBatchesTest {
  private static final int BATCHES = 800;

  /// Some words are rare: the run goes on until each was seen, and fails if one never comes.
  private static final int BATCHES_MAX = 10 * BATCHES;

  private static final int CALLS_MAX = 8;
  private static final long START = 1_800_000_000_000L;
  private static final Set<String> WORDS =
      Set.of(
          "HELD",
          "SAME",
          "BID_TOO_LOW",
          "AUCTION_FULL",
          "TICKET_JOINED",
          "TICKET_SAME",
          "QUEUE_FULL",
          "TICKET_LEFT",
          "TICKET",
          "ABSENT",
          "REPLAY",
          "COLLISION");

  private final long seed =
      Optional.ofNullable(System.getenv("HOLDFAST_TEST_SEED"))
          .map(Long::valueOf)
          .orElseGet(System::nanoTime);
  private final Random random = new Random(seed);
  private final Map<String, Integer> words = new TreeMap<>();
  private int calls;
  private int numbers;

  private record Kind(String script, List<String> header, Supplier<List<String>> call) {}

  private final List<Kind> kinds =
      List.of(
          new Kind("auction/bid", List.of("4000", "3"), this::bid),
          new Kind("waiting/join", List.of("2000", "500", "4"), this::join),
          new Kind("waiting/leave", List.of(), this::leave),
          new Kind("waiting/look", List.of("2000", "", "10", "0"), this::look));

  @Test
  void a_batch_has_the_outcomes_and_the_effects_of_its_calls_made_one_by_one(TestServers servers) {
    System.out.println("HOLDFAST_TEST_SEED=" + seed);

    servers.redis(
        redis -> {
          redis.flushdb();
          assertAllSame(new RedisMemory(redis, "batched"), new RedisMemory(redis, "single"));
          return redis;
        });

    assertThat(words).containsKeys(WORDS.toArray(String[]::new));
  }

  private void assertAllSame(RedisMemory batched, RedisMemory single) {
    var now = START;
    batched.setClock(now);
    List.of(batched, single).forEach(QueueBatchesTest::open);
    for (var i = 0; i < BATCHES || i < BATCHES_MAX && !words.keySet().containsAll(WORDS); i++) {
      assertSame(kinds.get(random.nextInt(kinds.size())), batched, single);
      assertThat(batched.contents()).isEqualTo(single.contents());
      now += random.nextInt(400);
      batched.setClock(now);
      for (var sweep : List.of("hold/sweep", "waiting/sweep")) {
        if (random.nextInt(10) == 0) {
          assertThat(batched.call(sweep, 3)).isEqualTo(single.call(sweep, 3));
        }
      }
    }
  }

  private void assertSame(Kind kind, RedisMemory batched, RedisMemory single) {
    var batch = Stream.generate(kind.call).limit(1 + random.nextInt(CALLS_MAX)).toList();

    var outcomes = call(batched, kind, batch.stream().flatMap(List::stream));
    var oneByOne =
        batch.stream().map(texts -> call(single, kind, texts.stream()).getFirst()).toList();

    assertThat(outcomes).as(kind.script + batch).isEqualTo(oneByOne);
    for (var outcome : outcomes) {
      var word = ScriptExample.word(outcome);
      words.merge(word, 1, Integer::sum);
      numbers += word.equals("HELD") || word.equals("TICKET_JOINED") ? 1 : 0;
    }
  }

  private static List<String> call(RedisMemory memory, Kind kind, Stream<String> texts) {
    return memory.call(kind.script, Stream.concat(kind.header.stream(), texts).toArray());
  }

  private static void open(RedisMemory memory) {
    memory.call("pool/seed", Arena.EPOCH, "AUCTION", 0, "TEST", 5_000, START * 2, "", "");
    memory.call("pool/load", Arena.EPOCH, "lot", "0");
    memory.call("pool/open", Arena.EPOCH);
  }

  private List<String> bid() {
    var lease = "" + (1 + random.nextInt(4_000));
    var amount = "" + (1 + random.nextInt(9));
    return List.of("shop", token(), digest(), requester(), lease, AHold.SALT, amount);
  }

  private List<String> join() {
    return List.of("shop", token(), digest(), requester(), ATicket.SEAL);
  }

  private List<String> leave() {
    return List.of("shop", token(), digest(), number(), requester());
  }

  private List<String> look() {
    return List.of(number(), "shop", requester());
  }

  /// One of a few, which are others after a while.
  private String token() {
    return "t" + (calls++ / 2 + random.nextInt(4));
  }

  private String digest() {
    return random.nextInt(12) == 0 ? "1:other" : "1:x";
  }

  private String requester() {
    return "u" + random.nextInt(6);
  }

  /// That of one of the latest bids and tickets.
  private String number() {
    return "" + Arena.fence(Math.max(1, numbers - random.nextInt(8)));
  }
}
