package io.holdfast.checkout;

import io.holdfast.pool.Price;
import io.holdfast.web.JsonFields;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is refunded to the buyer of a voided sale.
///
/// @param kind all of it, nothing, or `cents` of it
/// @param feeCents kept of a full refund
/// @param within the time after the sale in which it can be voided; null for no limit
record RefundPolicy(Kind kind, long cents, long feeCents, @Nullable Duration within) {
  private static final long CENTS_MAX = 1_000_000_000_000L;
  private static final long SECONDS_MAX = 315_360_000;

  enum Kind {
    FULL,
    NONE,
    PARTIAL
  }

  /// Throws `InvalidField` for an invalid body.
  static RefundPolicy read(JsonFields fields) {
    var word = fields.text("refund");
    if (!List.of("full", "none", "partial").contains(word)) {
      throw fields.invalid("refund", "has to be full, none or partial");
    }
    var kind = Kind.valueOf(word.toUpperCase(java.util.Locale.ROOT));
    var cents = fields.optionalWhole("refundCents", 0, CENTS_MAX);
    if ((kind == Kind.PARTIAL) != (cents != null)) {
      throw fields.invalid("refundCents", "belongs to a partial refund, and only to that");
    }
    var fee = fields.whole("feeCents", 0, CENTS_MAX, 0);
    if (kind != Kind.FULL && fee > 0) {
      throw fields.invalid("feeCents", "belongs to a full refund");
    }
    var within = fields.optionalWhole("withinSeconds", 1, SECONDS_MAX);
    return new RefundPolicy(
        kind, cents == null ? 0 : cents, fee, within == null ? null : Duration.ofSeconds(within));
  }

  /// A sale cannot be voided twice, so a typing error must not pass.
  void refuseMoreThan(long paidCents, JsonFields fields) {
    if (cents > paidCents) {
      throw fields.invalid("refundCents", "has to be at most the price, " + paidCents);
    }
    if (feeCents > paidCents) {
      throw fields.invalid("feeCents", "has to be at most the price, " + paidCents);
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
