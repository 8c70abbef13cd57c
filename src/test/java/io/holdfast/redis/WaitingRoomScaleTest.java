package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Joining and leaving cost no more per call with 100,000 waiting requesters than 1.2 × with 100.
/// Both queues are measured in turns on one connection, and the medians are compared, so other load
/// strikes both alike.
@ExtendWith(RealServers.class)
@Tag("proof")
class WaitingRoomScaleTest {
  private static final int FEW = 100;
  private static final int MANY = 100_000;
  private static final double RATIO_MAX = 1.2;
  private static final int ROUNDS = 400;
  private static final int WARM_UP = 100;
  private static final int CALLS = 32;

  private static final String FILL =
      """
      for i = 1, ARGV[1] do
        local number = string.format('%d', 7 * 4294967296 + i)
        local who = 'shop\\tu' .. i
        redis.call('ZADD', KEYS[1] .. 'queue', number, number)
        redis.call('ZADD', KEYS[1] .. 'present', '4000000000000', number)
        redis.call('HSET', KEYS[1] .. 'queued', who, number)
        redis.call('HSET', KEYS[1] .. 'tickets', number, 'WAITING\\t' .. number .. '\\t' .. number
          .. '\\t' .. who .. '\\t1.sealsealsealsealseals.\\t1600000000000\\t\\t0\\t')
      end
      """;

  private static TestServers servers;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
  }

  @Test
  void joining_and_leaving_cost_the_same_in_a_long_queue() {
    assertThat(ratio(Queue::joinAndLeave)).isLessThanOrEqualTo(RATIO_MAX);
  }

  private interface Work {
    void run(Queue queue, int round);
  }

  private static double ratio(Work work) {
    return servers.redis(
        redis -> {
          redis.flushdb();
          var few = Queue.of(redis, "few", FEW);
          var many = Queue.of(redis, "many", MANY);
          var times = new long[2][ROUNDS];
          for (var round = -WARM_UP; round < ROUNDS; round++) {
            var fewFirst = round % 2 == 0;
            var first = nanos(work, fewFirst ? few : many, round);
            var second = nanos(work, fewFirst ? many : few, round);
            if (round >= 0) {
              times[0][round] = fewFirst ? first : second;
              times[1][round] = fewFirst ? second : first;
            }
          }
          return (double) median(times[1]) / median(times[0]);
        });
  }

  private static long nanos(Work work, Queue queue, int round) {
    var begun = System.nanoTime();
    work.run(queue, round + WARM_UP);
    return System.nanoTime() - begun;
  }

  private static long median(long[] times) {
    Arrays.sort(times);
    return times[times.length / 2];
  }

  private record Queue(
      RedisCommands<String, String> redis, String prefix, String join, String leave) {

    static Queue of(RedisCommands<String, String> redis, String pool, int size) {
      var prefix = "{p:%s}:".formatted(pool);
      redis.eval(FILL, ScriptOutputType.STATUS, new String[] {prefix}, "" + size);
      redis.hset(prefix + "meta", "state", "OPEN");
      redis.hset(prefix + "meta", "run_id", Arena.OURS);
      redis.hset(prefix + "meta", "epoch", "7");
      redis.hset(prefix + "meta", "seq", "" + size);
      redis.hset(prefix + "meta", "window", "60000");
      return new Queue(
          redis,
          prefix,
          redis.scriptLoad(Script.named("waiting/join").text()),
          redis.scriptLoad(Script.named("waiting/leave").text()));
    }

    /// Leaves the queue as long as it was.
    void joinAndLeave(int round) {
      var joins = new ArrayList<>(List.of(Arena.OURS, ATicket.GRACE_MS, "2000", "1000000"));
      for (var i = 0; i < CALLS; i++) {
        joins.addAll(List.of("shop", token(round, i), "1:x", who(round, i), ATicket.SEAL));
      }
      var joined = call(join, joins);
      assertThat(joined).allMatch(reply -> reply.startsWith("TICKET_JOINED\t"));
      var leaves = new ArrayList<>(List.of(Arena.OURS));
      for (var i = 0; i < CALLS; i++) {
        var number = joined.get(i).split("\t")[5];
        leaves.addAll(List.of("shop", token(round, i) + "-", "1:x", number, who(round, i)));
      }
      assertThat(call(leave, leaves)).allMatch(reply -> reply.startsWith("TICKET_LEFT\t"));
    }

    private static String token(int round, int call) {
      return "t" + round + "-" + call;
    }

    private static String who(int round, int call) {
      return "new" + round + "-" + call;
    }

    private List<String> call(String digest, List<String> arguments) {
      var keys = new String[] {prefix + "meta", prefix + "journal"};
      List<Object> replies =
          redis.evalsha(digest, ScriptOutputType.MULTI, keys, arguments.toArray(String[]::new));
      return Stream.of(replies).flatMap(List::stream).map(String::valueOf).toList();
    }
  }
}
