package io.holdfast.idempotency.guard;

import static io.holdfast.idempotency.guard.GuardResult.NOT_SEEN;
import static io.holdfast.idempotency.guard.GuardResult.SEEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The contract of guard stores. A store is correct if all tests pass on it.
abstract class GuardStoreContract {
  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final MovedClock clock = new MovedClock();

  abstract GuardStore store();

  @ParameterizedTest
  @EnumSource(Expiry.class)
  @Requirement({"DP-AC-2", "DP-FL-1", "DP-FL-4", "DP-FL-6", "DP-OU-1", "DP-ST-1", "DP-ST-2"})
  void an_identity_is_seen_until_just_before_the_end_of_its_window(Expiry expiry) {
    var guard = guard(expiry);
    assertThat(guard.check("milk")).isEqualTo(NOT_SEEN);

    guard.record("milk");

    assertThat(guard.check("milk")).isEqualTo(SEEN);
    assertThat(guard.check("bread")).isEqualTo(NOT_SEEN);
    assertThat(guard.underGuard(0, 10)).containsExactly(recorded("=milk", Duration.ZERO));
    clock.move(WINDOW.minus(MOMENT));
    assertThat(guard.check("milk")).isEqualTo(SEEN);
    clock.move(MOMENT);
    assertThat(guard.check("milk")).isEqualTo(NOT_SEEN);
    assertThat(guard.underGuard(0, 10)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Expiry.class)
  @Requirement({"DP-FL-2", "DP-INV-2", "DP-EC-04"})
  void repetitions_do_not_move_the_end_of_the_window(Expiry expiry) {
    var guard = guard(expiry);
    guard.record("milk");

    for (var i = 0; i < 59; i++) {
      clock.move(Duration.ofSeconds(1));
      guard.record("milk");
      assertThat(guard.check("milk")).isEqualTo(SEEN);
    }

    assertThat(guard.underGuard(0, 10)).containsExactly(recorded("=milk", Duration.ZERO));
    clock.move(Duration.ofSeconds(1));
    assertThat(guard.check("milk")).isEqualTo(NOT_SEEN);
  }

  @Test
  @Requirement({"DP-FL-3", "DP-EC-09", "DP-INV-1"})
  void an_elapsed_entry_that_is_still_stored_is_not_seen_and_can_be_recorded_again() {
    var guard = guard(Expiry.LAZY);
    guard.record("milk");

    clock.move(WINDOW);
    guard.record("bread");
    var stillThere = store().recordedAt(guard.rules(), "=milk");
    var sighting = guard.check("milk");
    guard.record("milk");

    assertThat(stillThere).contains(MovedClock.START);
    assertThat(sighting).isEqualTo(NOT_SEEN);
    assertThat(store().recordedAt(guard.rules(), "=milk")).contains(MovedClock.START.plus(WINDOW));
    clock.move(WINDOW.minus(MOMENT));
    assertThat(guard.check("milk")).isEqualTo(SEEN);
  }

  @Test
  @Requirement({"DP-EC-10", "DP-INV-1", "DP-INV-4", "DP-EC-03"})
  void eager_expiry_removes_elapsed_entries_and_no_live_ones() {
    var guard = guard(Expiry.EAGER);
    guard.record("old");
    guard.record("older than it looks");
    clock.move(WINDOW.minus(MOMENT));
    guard.record("young");
    assertThat(store().recordedAt(guard.rules(), "=old")).isPresent();

    clock.move(MOMENT);
    guard.record("youngest");

    assertThat(store().recordedAt(guard.rules(), "=old")).isEmpty();
    assertThat(store().recordedAt(guard.rules(), "=older than it looks")).isEmpty();
    assertThat(guard.check("young")).isEqualTo(SEEN);
    assertThat(guard.check("youngest")).isEqualTo(SEEN);
    assertThat(guard.count()).isEqualTo(2);
    assertThat(guard.purge()).isZero();
    clock.move(WINDOW);
    assertThat(guard.purge()).isEqualTo(2);
  }

  @Test
  @Requirement({"DP-FB-1", "DP-INV-3"})
  void a_check_changes_nothing() {
    var guard = guard(Expiry.EAGER);
    guard.record("milk");
    clock.move(Duration.ofSeconds(30));
    var before = guard.underGuard(0, 10);

    for (var i = 0; i < 20; i++) {
      assertThat(guard.check("milk")).isEqualTo(SEEN);
      assertThat(guard.check("bread")).isEqualTo(NOT_SEEN);
    }

    assertThat(guard.underGuard(0, 10)).isEqualTo(before);
    assertThat(store().recordedAt(guard.rules(), "=bread")).isEmpty();
  }

  @Test
  @Requirement({"DP-EC-02", "DP-IN-1", "DP-IN-2", "DP-CO-3"})
  void guards_with_other_windows_and_rules_do_not_disturb_each_other() {
    var name = GuardStores.aName();
    var exact = guard(GuardRules.of(name, WINDOW));
    var folding =
        guard(GuardRules.of(name + "-2", WINDOW.dividedBy(2)).matching(Matching.IGNORING_CASE));
    exact.record("Milk");
    folding.record("Bread");

    assertThat(exact.check("milk")).isEqualTo(NOT_SEEN);
    assertThat(exact.check("Bread")).isEqualTo(NOT_SEEN);
    assertThat(folding.check("bREAD")).isEqualTo(SEEN);
    assertThat(folding.check("Milk")).isEqualTo(NOT_SEEN);
    clock.move(WINDOW.dividedBy(2));
    folding.record("something else");
    assertThat(exact.check("Milk")).isEqualTo(SEEN);
    assertThat(folding.check("bread")).isEqualTo(NOT_SEEN);
  }

  @Test
  @Requirement({"DP-AC-1", "DP-DP-1"})
  void any_text_can_be_recorded_and_differs_from_others() {
    var guard = guard(Expiry.EAGER);
    var strange =
        List.of(
            "", " ", "\0", "\ud800", "\ud801", "?", "a\nb", "🎟", "x".repeat(1_000_000), "#", "=");

    for (var text : strange) {
      assertThat(guard.check(text)).as(text).isEqualTo(NOT_SEEN);
      guard.record(text);
      assertThat(guard.check(text)).as(text).isEqualTo(SEEN);
    }

    assertThat(guard.check("x".repeat(999_999))).isEqualTo(NOT_SEEN);
    assertThat(guard.misses()).isZero();
  }

  @Test
  @Requirement("DP-EC-08")
  void a_clock_jump_ends_windows_early_or_late_and_changes_no_recorded_time() {
    var guard = guard(Expiry.LAZY);
    guard.record("milk");

    clock.set(MovedClock.START.minus(Duration.ofHours(1)));
    guard.record("milk");
    assertThat(guard.check("milk")).isEqualTo(SEEN);
    assertThat(guard.underGuard(0, 10)).containsExactly(recorded("=milk", Duration.ZERO));
    clock.set(MovedClock.START.plus(Duration.ofHours(1)));
    assertThat(guard.check("milk")).isEqualTo(NOT_SEEN);
    clock.set(MovedClock.START.plus(Duration.ofSeconds(59)));
    assertThat(guard.check("milk")).isEqualTo(SEEN);
    assertThat(guard.underGuard(0, 10)).containsExactly(recorded("=milk", Duration.ZERO));
  }

  @Test
  @Requirement({"DP-ST-1", "DP-OU-2"})
  void entries_are_read_in_pages_oldest_first() {
    var guard = guard(Expiry.LAZY);
    IntStream.range(0, 7)
        .forEach(
            i -> {
              guard.record("item-" + (9 - i));
              clock.move(MOMENT);
            });

    var parts = IntStream.range(0, 4).mapToObj(i -> guard.underGuard(3 * i, 3)).toList();

    assertThat(guard.count()).isEqualTo(7);
    assertThat(parts).extracting(List::size).containsExactly(3, 3, 1, 0);
    assertThat(parts.stream().flatMap(List::stream).map(GuardEntry::identity))
        .containsExactlyElementsOf(
            IntStream.range(0, 7).mapToObj(i -> "=item-" + (9 - i)).toList());
  }

  @Test
  @Requirement("DP-FM-3")
  void the_store_follows_every_path_of_the_model() {
    assertThat(ModelWalk.through(store())).isEmpty();
  }

  @Test
  @Requirement("DP-EC-11")
  void concurrent_calls_are_linearizable() {
    for (var round = 0; round < 40; round++) {
      var history = GuardHistory.of(store(), round);

      assertThat(history.isLinearizable()).as("%s", history).isTrue();
    }
  }

  private DuplicateGuard guard(Expiry expiry) {
    var rules = GuardRules.of(GuardStores.aName(), WINDOW);
    return guard(expiry == Expiry.LAZY ? rules.lazy() : rules);
  }

  private DuplicateGuard guard(GuardRules rules) {
    return new DuplicateGuard(rules, store(), clock);
  }

  private static GuardEntry recorded(String identity, Duration after) {
    return new GuardEntry(identity, MovedClock.START.plus(after));
  }
}
