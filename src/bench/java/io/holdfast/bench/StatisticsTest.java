package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.bench.Results.Row;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  private static final Row HOLD = new Row(Case.HOLD, 64);
  private static final Row BARE = new Row(Case.BARE, 64);

  @Test
  void one_wild_round_does_not_move_the_median() {
    assertThat(Statistics.median(new double[] {10, 1_000, 11})).isEqualTo(11);
    assertThat(Statistics.median(new double[] {1, 4, 2, 3})).isEqualTo(2.5);
    assertThatThrownBy(() -> Statistics.median(new double[0])).hasMessageContaining("no median");
  }

  @Test
  void what_slows_a_whole_round_down_does_not_change_its_ratio() {
    var results = new Results();
    results.addRound(round(20_000, 12_000));
    results.addRound(round(2_000, 1_200));
    results.addRound(round(20_000, 14_000));

    assertThat(results.ratios(Case.HOLD, Case.BARE, 64, Measured::perSecond))
        .containsExactly(0.6, 0.6, 0.7);
  }

  @Test
  void turns_of_one_round_are_averaged() {
    var round = round(20_000, 12_000);
    round.add(BARE, turn(30_000));

    assertThat(round.median(BARE, Measured::perSecond)).isEqualTo(25_000);
  }

  @Test
  void equal_speeds_pass_in_spite_of_noise_but_no_slower_ones() {
    assertThat(Demand.atLeast(1, 0.97, "", new double[] {0.98}).isMet()).isTrue();
    assertThat(Demand.atLeast(1, 0.97, "", new double[] {0.96}).isMet()).isFalse();
    assertThat(Demand.atMost(2.5, "", new double[] {2.51}).isMet()).isFalse();
  }

  @Test
  void a_surprising_answer_fails_the_turn() {
    var tally = new Tally(Load.Expected.CREATED);
    tally.count(201, false, () -> "");
    tally.count(201, true, () -> "a replay");

    assertThatThrownBy(tally::requireNoSurprise).hasMessageContaining("{201 replayed=1}");
  }

  private static Results round(long bare, long hold) {
    var round = new Results();
    round.add(BARE, turn(bare));
    round.add(HOLD, turn(hold));
    return round;
  }

  private static Measured turn(long perSecond) {
    var nothing =
        new Cpu(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
    var second = Duration.ofSeconds(1);
    var turn = new Turn(perSecond, second, perSecond, second, 1, 1, 0);
    return new Measured(turn, nothing, 0, Duration.ZERO);
  }
}
