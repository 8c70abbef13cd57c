package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.StateSearch.Bounds;
import io.holdfast.commitment.sale.ModelRules;
import io.holdfast.testing.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Searches all interleavings of two requesters, the sweep, the resolver, the drainer, crashes and
/// losses of Redis' data over one item, within bounds. A hold never has two reported ends. The item
/// is sold once and at rising fences. Every state can reach an end without a client.
class OneArbiterSearchTest {

  /// Each direction allows many events of one kind. All kinds together would have too many states.
  enum Direction {
    /// Calls only, without a loss.
    CALLS(new Bounds(3, 1, 0, 0, 0, 0)),
    RELEASES(new Bounds(2, 2, 0, 0, 0, 0)),
    /// Redis loses one key, so that two have the item, and a sale is voided.
    KEYS(new Bounds(2, 0, 0, 1, 1, 0)),
    /// Redis loses all, or restarts with all.
    LOSS(new Bounds(2, 1, 1, 0, 0, 0)),
    /// Redis returns with older data.
    COPY(new Bounds(1, 1, 1, 0, 0, 1));

    private final Bounds bounds;

    Direction(Bounds bounds) {
      this.bounds = bounds;
    }
  }

  @Requirement({"PC-INV-2", "PC-INV-3", "PC-EC-4", "BR-F-2", "BR-F-4", "BR-L-5"})
  @ParameterizedTest
  @EnumSource(names = {"CALLS", "RELEASES", "KEYS"})
  void every_hold_has_one_end_while_redis_keeps_its_data(Direction direction) {
    assertThat(found(direction, ModelRules.OF_THE_CODE)).isEmpty();
  }

  @Requirement({"BR-L-5", "BR-F-6", "PC-EC-4"})
  @ParameterizedTest
  @EnumSource(names = {"LOSS", "COPY"})
  void every_hold_has_one_end_when_redis_loses_data(Direction direction) {
    assertThat(found(direction, ModelRules.OF_THE_CODE)).isEmpty();
  }

  @Test
  void without_the_epoch_a_release_paused_during_a_loss_gives_a_hold_two_ends() {
    assertThat(found(Direction.LOSS, ModelRules.ENDS_WITHOUT_EPOCH))
        .contains("release in Postgres");
  }

  @Test
  void a_hold_has_two_ends_after_old_data_if_the_drainer_compares_pin_numbers() {
    assertThat(found(Direction.COPY, ModelRules.DRAINER_WITH_PIN_NUMBER)).isNotEmpty();
  }

  @Test
  void without_the_pin_number_a_hold_is_sold_and_released() {
    assertThat(found(Direction.CALLS, ModelRules.WITHOUT_PIN_NUMBER))
        .startsWith("hold 0 was sold, and released or expired as well");
  }

  @Test
  void without_the_epoch_a_hold_is_sold_and_released() {
    assertThat(found(Direction.LOSS, ModelRules.WITHOUT_EPOCH))
        .startsWith("hold 0 was sold, and released or expired as well");
  }

  @Test
  void without_the_fence_a_stale_holder_sells() {
    assertThat(found(Direction.KEYS, ModelRules.WITHOUT_FENCE))
        .startsWith("the item was sold at a fence that is not the highest");
  }

  @Test
  void a_resolver_that_unpins_before_it_writes_lets_a_hold_be_sold_and_released() {
    assertThat(found(Direction.CALLS, ModelRules.UNPIN_BEFORE_WRITING))
        .startsWith("hold 0 was sold, and released or expired as well");
  }

  private static String found(Direction direction, ModelRules rules) {
    var result = new StateSearch(rules).run(direction.bounds);
    System.out.printf(
        "%s: %,d states%s%n",
        direction, result.states(), result.broken().isEmpty() ? "" : ", " + result.broken());
    return result.broken();
  }
}
