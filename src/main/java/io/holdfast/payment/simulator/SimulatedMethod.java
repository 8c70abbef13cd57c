package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The methods of the simulator. Each one makes payments succeed or fail in its own way.
///
/// @param delay until the notice of `late-webhook`
record SimulatedMethod(Kind kind, Duration delay) {
  private static final Pattern LATE = Pattern.compile("late-webhook-(\\d{1,5})");
  private static final Duration DELAY = Duration.ofSeconds(1);
  private static final Duration DELAY_MAX = Duration.ofMinutes(1);

  enum Kind {
    OK,
    DECLINE,
    /// The authorisation happens, but no call gets an answer.
    TIMEOUT_AUTHORISE,
    /// The authorisation happens; only the second call gets an answer.
    LOSE_AUTHORISE,
    /// The capture happens; only the second call gets an answer.
    TIMEOUT_CAPTURE,
    FAIL_CAPTURE,
    /// The payment succeeds; the fulfilment of the order fails.
    FAIL_FULFIL,
    /// Answers, and sends a notice twice.
    DUPLICATE_WEBHOOK,
    /// The authorisation is answered by a notice, later.
    LATE_WEBHOOK,
    /// The first two refunds are declined.
    FAIL_REFUND,
    /// All refunds are declined.
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

  boolean sendsNotice() {
    return kind == Kind.DUPLICATE_WEBHOOK || kind == Kind.LATE_WEBHOOK;
  }

  /// Whether the answer to this call gets lost.
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
