package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Thousands of random calls on a pool of units, whose sales the ledger decides: after each step
/// Redis counts exactly the units of its live holds and those that the newest decision has sold.
@ExtendWith(RealServers.class)
class StockRulesTest {

  @ParameterizedTest(name = "in order: {0}")
  @ValueSource(booleans = {true, false})
  void whatever_is_called_the_units_of_a_pool_are_counted_once(
      boolean isInOrder, TestServers servers) {
    var words =
        servers.redis(redis -> new RandomStockCalls(new RedisMemory(redis), isInOrder).run());

    assertThat(words)
        .containsKeys("HELD", "TAKEN", "LIMIT", "REPLAY", "COLLISION", "RELEASED", "EXPIRED")
        .containsKeys("PINNED", "ELAPSED", "UNPINNED", "OTHER", "SETTLED", "SWEPT", "ABSENT")
        .containsKeys("NOT_HELD", "NOT_KNOWN", "WINDOW_NOT_ELAPSED", "LOST", "RESTARTED");
  }
}
