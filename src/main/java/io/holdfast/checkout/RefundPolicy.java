package io.holdfast.checkout;

import io.holdfast.pool.Price;
import io.holdfast.web.InvalidField;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What is refunded to the buyer of a voided sale.
///
/// @param kind all of it, nothing, or `cents` of it
/// @param feeCents kept of a full refund
/// @param within the time after the sale in which it can be voided; null for no limit
record RefundPolicy(Kind kind, long cents, long feeCents, @Nullable Duration within) {
  enum Kind {
    FULL,
    NONE,
    PARTIAL
  }

  /// Refuses fields that contradict each other with `InvalidField`.
  static RefundPolicy of(VoidBody body) {
    var kind = Kind.valueOf(body.refund().toUpperCase(Locale.ROOT));
    var cents = body.refundCents();
    if ((kind == Kind.PARTIAL) != (cents != null)) {
      throw InvalidField.of("refundCents", "belongs to a partial refund, and only to that");
    }
    var fee = body.feeCents() == null ? 0 : body.feeCents();
    if (kind != Kind.FULL && fee > 0) {
      throw InvalidField.of("feeCents", "belongs to a full refund");
    }
    var within = body.withinSeconds();
    return new RefundPolicy(
        kind, cents == null ? 0 : cents, fee, within == null ? null : Duration.ofSeconds(within));
  }

  /// A sale cannot be voided twice, so a typing error must not pass.
  void refuseMoreThan(long paidCents) {
    if (cents > paidCents) {
      throw InvalidField.of("refundCents", "has to be at most the price, " + paidCents);
    }
    if (feeCents > paidCents) {
      throw InvalidField.of("feeCents", "has to be at most the price, " + paidCents);
    }
  }

  boolean isTooLate(Instant committedAt, Instant now) {
    return within != null && now.isAfter(committedAt.plus(within));
  }

  /// Never more than was paid.
  long centsBack(Price paid) {
    var back =
        switch (kind) {
          case FULL -> paid.cents() - feeCents;
          case NONE -> 0;
          case PARTIAL -> cents;
        };
    return Math.clamp(back, 0, paid.cents());
  }
}
