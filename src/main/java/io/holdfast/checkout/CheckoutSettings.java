package io.holdfast.checkout;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.time.Duration;

/// The settings of checkouts.
///
/// @param lease after which another runner may take over a checkout
/// @param look how often runners look for due checkouts
/// @param runners checkouts that an instance runs at a time
/// @param triesMax of a step without an answer
/// @param undoTriesMax of an undo before the checkout is stuck
/// @param firstPause before the second try; doubled for each further one
/// @param paymentWait time limit of a payment that is answered by a notice
public record CheckoutSettings(
    Duration lease,
    Duration look,
    int runners,
    int triesMax,
    int undoTriesMax,
    Duration firstPause,
    Duration paymentWait) {
  private static final Duration PAUSE_MAX = Duration.ofSeconds(8);
  private static final int DOUBLINGS_MAX = 10;
  private static final int PENDING_LOOKS = 10;

  public CheckoutSettings {
    InvalidSetting.unlessBetween(
        "holdfast.checkout-lease", Duration.ofMillis(500), Duration.ofSeconds(9), lease);
    InvalidSetting.unlessBetween(
        "holdfast.checkout-look", Duration.ofMillis(50), Duration.ofSeconds(5), look);
    InvalidSetting.unlessBetween("holdfast.checkout-runners", 1, 1_000, runners);
    InvalidSetting.unlessBetween("holdfast.checkout-tries", 1, 20, triesMax);
    InvalidSetting.unlessBetween("holdfast.checkout-undo-tries", 1, 20, undoTriesMax);
    InvalidSetting.unlessBetween(
        "holdfast.checkout-pause", Duration.ofMillis(10), Duration.ofSeconds(5), firstPause);
    InvalidSetting.unlessBetween(
        "holdfast.payment-wait", Duration.ofSeconds(1), Duration.ofDays(1), paymentWait);
  }

  static CheckoutSettings of(Settings settings) {
    return new CheckoutSettings(
        settings.duration("holdfast.checkout-lease", Duration.ofSeconds(5)),
        settings.duration("holdfast.checkout-look", Duration.ofMillis(500)),
        settings.number("holdfast.checkout-runners", 128),
        settings.number("holdfast.checkout-tries", 4),
        settings.number("holdfast.checkout-undo-tries", 8),
        settings.duration("holdfast.checkout-pause", Duration.ofMillis(250)),
        settings.duration("holdfast.payment-wait", Duration.ofMinutes(10)));
  }

  /// A notice wakes its checkout. This pause is for what has no notice, such as the end of a claim.
  public Duration pendingLook() {
    return look.multipliedBy(PENDING_LOOKS);
  }

  /// @param tries so far
  public Duration pause(int tries) {
    var pause = firstPause.multipliedBy(1L << Math.min(tries - 1, DOUBLINGS_MAX));
    return pause.compareTo(PAUSE_MAX) < 0 ? pause : PAUSE_MAX;
  }
}
