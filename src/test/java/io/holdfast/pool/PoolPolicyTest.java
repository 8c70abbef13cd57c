package io.holdfast.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.pool.PoolPolicy.Overrides;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PoolPolicyTest {

  @ParameterizedTest
  @CsvSource({
    "SEATS,600,1800,4",
    "UNIQUE,600,86400,1000000",
    "STOCK,900,1800,4",
    "AUCTION,300,604800,4"
  })
  void a_pool_without_a_policy_has_the_defaults_of_its_kind(
      PoolKind kind, long lease, long window, int holds) {
    assertThat(PoolPolicy.of(kind))
        .isEqualTo(
            new PoolPolicy(
                Duration.ofSeconds(lease),
                Duration.ofSeconds(window),
                Duration.ofSeconds(120),
                8,
                holds,
                Duration.ofSeconds(600),
                "EUR",
                false,
                null,
                PoolPolicy.ReversalTerms.Fields.NONE.terms(),
                Duration.ofDays(1),
                null));
  }

  @Test
  void defaults_follow_a_given_lease() {
    var longLease = wishing(lease(7_200L));
    var shortLease = wishing(lease(10L));

    assertThat(longLease.window()).isEqualTo(Duration.ofHours(2));
    assertThat(shortLease.window()).isEqualTo(Duration.ofMinutes(30));
    assertThat(shortLease.heartbeat()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void defaults_follow_a_given_window() {
    var shortWindow = wishing(new Overrides(null, 60L, null, null, null, null, null, null, null));

    assertThat(shortWindow.lease()).isEqualTo(Duration.ofSeconds(60));
    assertThat(shortWindow.heartbeat()).isEqualTo(Duration.ofSeconds(60));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("contradictions")
  void an_invalid_policy_is_refused_by_field(String sentence, Overrides wishes) {
    assertThatIllegalArgumentException().isThrownBy(() -> wishing(wishes)).withMessage(sentence);
  }

  static Stream<Arguments> contradictions() {
    return Stream.of(
        Arguments.of("leaseSeconds must lie between 1 and 86400, was 0", lease(0L)),
        Arguments.of("leaseSeconds must lie between 1 and 86400, was 86401", lease(86_401L)),
        Arguments.of(
            "leaseSeconds must lie between 1 and 86400, was 9223372036854775807",
            lease(Long.MAX_VALUE)),
        Arguments.of(
            "leaseSeconds must lie between 1 and 60, was 61",
            new Overrides(61L, 60L, null, null, null, null, null, null, null)),
        Arguments.of(
            "windowSeconds must lie between 1 and 604800, was 604801",
            new Overrides(60L, 604_801L, null, null, null, null, null, null, null)),
        Arguments.of(
            "heartbeatSeconds must lie between 1 and 60, was 61",
            new Overrides(60L, null, 61L, null, null, null, null, null, null)),
        Arguments.of(
            "maxItemsPerHold must lie between 1 and 100, was 101",
            new Overrides(null, null, null, 101, null, null, null, null, null)),
        Arguments.of(
            "maxHoldsPerRequester must lie between 1 and 1000000, was 0",
            new Overrides(null, null, null, null, 0, null, null, null, null)),
        Arguments.of(
            "idempotencyWindowSeconds must lie between 1 and 86400, was 86401",
            new Overrides(null, null, null, null, null, 86_401L, null, null, null)),
        Arguments.of(
            "currency must be three capital letters",
            new Overrides(null, null, null, null, null, null, "eur", null, null)));
  }

  private static Overrides lease(Long seconds) {
    return new Overrides(seconds, null, null, null, null, null, null, null, null);
  }

  private static PoolPolicy wishing(Overrides wishes) {
    return PoolPolicy.of(PoolKind.SEATS, wishes);
  }
}
