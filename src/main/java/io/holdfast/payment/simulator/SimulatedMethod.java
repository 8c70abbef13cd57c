package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The methods of the simulator, each a way in which payments go well or wrong.
///
/// @param delay until the notice of a late one
record SimulatedMethod(Kind kind, Duration delay) {
  private static final Pattern LATE = Pattern.compile("late-webhook-(\\d{1,5})");
  private static final Duration DELAY = Duration.ofSeconds(1);
  private static final Duration DELAY_MAX = Duration.ofMinutes(1);

  enum Kind {
    OK,
    DECLINE,
    /// The authorisation happens, and no call ever says so.
    TIMEOUT_AUTHORISE,
    /// The authorisation happens; the second call says so.
    LOSE_AUTHORISE,
    /// The capture happens; the second call says so.
    TIMEOUT_CAPTURE,
    FAIL_CAPTURE,
    /// All is well with the money; it is the order that cannot be fulfilled.
    FAIL_FULFIL,
    /// Answers, and tells twice by notice as well.
    DUPLICATE_WEBHOOK,
    /// The authorisation is told by a notice, later.
    LATE_WEBHOOK,
    /// Refunds are declined twice at first.
    FAIL_REFUND,
    /// Refunds are declined for ever.
    STUCK_REFUND;

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  static Optional<SimulatedMethod> find(String word) {
    var late = LATE.matcher(word);
    if (late.matches()) {
      var delay = Duration.ofMillis(Integer.parseInt(late.group(1)));
      return Optional.of(new SimulatedMethod(Kind.LATE_WEBHOOK, delay))
          .filter(_ -> delay.compareTo(DELAY_MAX) <= 0);
    }
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.word().equals(word))
        .findFirst()
        .map(kind -> new SimulatedMethod(kind, delayOf(kind)));
  }

  boolean is(Kind other) {
    return kind == other;
  }

  private static Duration delayOf(Kind kind) {
    return kind == Kind.LATE_WEBHOOK ? DELAY : Duration.ZERO;
  }

  boolean tells() {
    return kind == Kind.DUPLICATE_WEBHOOK || kind == Kind.LATE_WEBHOOK;
  }

  /// Whether nobody hears the answer to this call.
  boolean losesAnswer(PaymentStep step, int asked) {
    return switch (kind) {
      case TIMEOUT_AUTHORISE -> step == PaymentStep.AUTHORISE;
      case LOSE_AUTHORISE -> step == PaymentStep.AUTHORISE && asked == 1;
      case TIMEOUT_CAPTURE -> step == PaymentStep.CAPTURE && asked == 1;
      case OK,
          DECLINE,
          FAIL_CAPTURE,
          FAIL_FULFIL,
          DUPLICATE_WEBHOOK,
          LATE_WEBHOOK,
          FAIL_REFUND,
          STUCK_REFUND ->
          false;
    };
  }
}
