package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Thousands of random calls in batches, each answered as a simple model of the rules answers one
/// call after the other, and with the same things in memory afterwards.
@ExtendWith(RealServers.class)
class HoldRulesTest {
  private static final long NOW = 1_800_000_000_000L;

  @Test
  void whatever_is_called_the_scripts_keep_the_rules(TestServers servers) {
    assertRulesAreKept(calls -> servers.redis(redis -> calls.run(new RedisMemory(redis))).keySet());
  }

  @Test
  void a_hold_that_cannot_come_back_is_on_record_once_however_often_it_is_offered(
      TestServers servers) {
    servers.redis(
        redis -> {
          assertLossIsNotedOnce(new RedisMemory(redis));
          return redis;
        });
  }

  /// Two that have lapsed have had the item one after the other, and neither has been swept.
  private static void assertLossIsNotedOnce(RedisMemory memory) {
    var model = new HoldModel(Set.of("A-1"), NOW);
    var wish = new ModelHold.Wish("u1", 1_000, 2_000, 9, List.of("A-1"), 0, "");
    for (var fence = 1L; fence <= 2; fence++) {
      var call = new ModelHold.Call("place_hold", "shop", "tok-" + fence, "1:1");
      var hold = new ModelHold(fence, call, wish, NOW - 5_000);
      hold.leaseUntil = NOW - 4_000;
      model.holds.put(fence, hold);
    }
    memory.loseAll();
    memory.setClock(NOW);

    new ModelSeeding(model, memory, true).open();

    assertThat(memory.ends()).containsExactly(1L);
    memory.assertIsAs(model);
  }

  private static void assertRulesAreKept(Function<RandomCalls, Set<String>> run) {
    var calls = new RandomCalls();

    assertThat(run.apply(calls))
        .contains("HELD", "SAME", "TAKEN", "LIMIT", "NO_SUCH_ITEM", "REPLAY", "COLLISION")
        .contains("EXTENDED", "ELAPSED", "STALE_FENCE", "RELEASED", "EXPIRED", "SWEPT", "ABSENT")
        .contains("NOT_HELD", "NOT_KNOWN", "WINDOW_NOT_ELAPSED");
    assertThat(calls.fences).isSorted().doesNotHaveDuplicates();
  }
}
