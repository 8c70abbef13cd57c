package io.holdfast.idempotency.guard;

import static io.holdfast.idempotency.guard.GuardResult.NOT_SEEN;
import static io.holdfast.idempotency.guard.GuardResult.SEEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Requirement;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.Temporal;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The options of a guard, and their limits.
class GuardRulesTest {

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      textBlock =
          """
          EXACT,         buy milk,  buy milk,        SEEN
          EXACT,         buy milk,  Buy milk,        NOT_SEEN
          EXACT,         buy milk,  `buy milk `,     NOT_SEEN
          IGNORING_CASE, STRASSE,   straße,          SEEN
          IGNORING_CASE, buy milk,  Buy MILK,        SEEN
          IGNORING_CASE, buy milk,  `buy milk `,     NOT_SEEN
          NORMALISED,    Buy milk!, `  buy   MILK! `, SEEN
          NORMALISED,    ﬁne,       fine,            SEEN
          NORMALISED,    Buy milk!, buy milk,        NOT_SEEN
          HASHED,        secret,    secret,          SEEN
          HASHED,        secret,    Secret,          NOT_SEEN
          """)
  @Requirement("DP-IN-2")
  void the_owner_of_a_guard_chooses_its_matching(
      Matching matching, String recorded, String asked, GuardResult sighting) {
    var guard = guard(aRule().matching(matching), new MovedClock());

    guard.record(recorded);

    assertThat(guard.check(asked)).isEqualTo(sighting);
  }

  @Test
  @Requirement("DP-IN-2")
  void matching_is_exact_by_default_and_hashed_identities_are_not_shown() {
    var hashing = guard(aRule().matching(Matching.HASHED), new MovedClock());
    hashing.record("secret");

    assertThat(aRule().matching()).isEqualTo(Matching.EXACT);
    assertThat(hashing.underGuard(0, 1).getFirst().identity())
        .startsWith("#")
        .doesNotContain("secret");
  }

  @Test
  @Requirement({"DP-EC-07", "H-5"})
  void a_guard_without_its_store_is_closed_by_default() {
    assertThat(aRule().whenAway()).isEqualTo(FailureMode.CLOSED);
    assertThat(aRule().openWhenAway().whenAway()).isEqualTo(FailureMode.OPEN);
    assertThat(aRule().beforeCommits().whenAway()).isEqualTo(FailureMode.CLOSED);
  }

  @Test
  @Requirement("H-5")
  void a_guard_that_protects_a_commit_cannot_be_open() {
    assertThatThrownBy(() -> aRule().beforeCommits().openWhenAway())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("guard some decides about a commit");
    assertThatThrownBy(() -> aRule().openWhenAway().beforeCommits())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT0.0009S", "P367D"})
  void an_invalid_window_is_refused(Duration window) {
    assertThatThrownBy(() -> GuardRules.of("some", window))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has to be between 1 ms and 366 days");
  }

  /// In Berlin the clocks go forward on 29 March 2026: that day has 23 hours.
  @ParameterizedTest
  @ValueSource(strings = {"Europe/Berlin", "UTC", "Pacific/Apia"})
  @Requirement("DP-EC-05")
  void a_day_has_24_hours_whatever_the_calendar_says(ZoneId zone) {
    var rules = GuardRules.of("some", Duration.ofHours(24));
    var store = new InMemoryGuardStore(10);
    var before = Instant.parse("2026-03-28T12:00:00Z");
    guard(rules, store, before, zone).record("milk");

    assertThat(guard(rules, store, before.plusSeconds(24 * 3600 - 1), zone).check("milk"))
        .isEqualTo(SEEN);
    assertThat(guard(rules, store, before.plusSeconds(24 * 3600), zone).check("milk"))
        .isEqualTo(NOT_SEEN);
  }

  @Test
  @Requirement({"DP-EC-04", "DP-EC-12"})
  void sliding_windows_calendar_days_and_event_counts_are_not_supported() {
    var components = Stream.of(GuardRules.class.getRecordComponents());

    assertThat(components.map(RecordComponent::getType))
        .containsExactly(
            String.class,
            Duration.class,
            Matching.class,
            Expiry.class,
            FailureMode.class,
            boolean.class);
    assertThat(Expiry.values()).hasSize(2);
  }

  @Test
  @Requirement("DP-CK-2")
  void callers_of_a_guard_cannot_set_the_time() {
    var methods = Stream.of(DuplicateGuard.class.getMethods());

    assertThat(methods.map(Method::getParameterTypes).flatMap(Stream::of))
        .noneMatch(Temporal.class::isAssignableFrom)
        .noneMatch(Clock.class::isAssignableFrom);
    assertThat(DuplicateGuard.class.getConstructors()).hasSize(1);
  }

  @Test
  @Requirement("DP-AC-2")
  void a_check_has_two_results() {
    assertThat(List.of(GuardResult.values())).containsExactly(SEEN, NOT_SEEN);
  }

  private static GuardRules aRule() {
    return GuardRules.of("some", Duration.ofMinutes(1));
  }

  private static DuplicateGuard guard(GuardRules rules, Clock clock) {
    return new DuplicateGuard(rules, new InMemoryGuardStore(10), clock);
  }

  private static DuplicateGuard guard(
      GuardRules rules, GuardStore store, Instant now, ZoneId zone) {
    return new DuplicateGuard(rules, store, Clock.fixed(now, zone));
  }
}
