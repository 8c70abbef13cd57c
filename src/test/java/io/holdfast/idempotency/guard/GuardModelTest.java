package io.holdfast.idempotency.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GuardModelTest {

  @Test
  @Requirement({"DP-FM-1", "DP-INV-2"})
  void the_shipped_rule_holds_in_all_14_states() {
    var verdict = GuardModel.explore(GuardWindow::afterRecord);

    assertThat(verdict.violation()).isNull();
    assertThat(verdict.states()).hasSize(14);
    assertThat(verdict.states()).anyMatch(GuardModel.State::isSeen);
  }

  @Test
  @Requirement("DP-FM-2")
  void a_rule_that_moves_the_recorded_time_fails_in_the_11th_state() {
    var verdict = GuardModel.explore((_, now, _) -> now);

    assertThat(verdict.violation()).isEqualTo(new GuardModel.State(1, true, 1, 0));
    assertThat(verdict.states()).hasSize(11);
  }

  @Test
  @Requirement({"DP-FM-2", "DP-FM-3"})
  void the_walk_finds_a_store_that_moves_the_recorded_time() {
    var sliding = new InMemoryGuardStore(1_000);
    var broken =
        new ForwardingStore(sliding) {
          @Override
          public void record(GuardRules rules, String identity, Instant now) {
            var elapsed = now.plus(rules.window());
            sliding.purge(rules, elapsed);
            super.record(rules, identity, now);
          }
        };

    assertThat(ModelWalk.through(sliding)).isEmpty();
    assertThat(ModelWalk.through(broken)).isNotEmpty();
  }

  @Test
  @Requirement("DP-FM-3")
  void the_walk_finds_a_store_that_keeps_entries_too_long() {
    var late =
        new ForwardingStore(new InMemoryGuardStore(1_000)) {
          @Override
          public Optional<Instant> recordedAt(GuardRules rules, String identity) {
            return super.recordedAt(rules, identity).map(moment -> moment.plusMillis(1));
          }
        };

    assertThat(ModelWalk.through(late)).isNotEmpty();
  }
}
