package io.holdfast.checkout;

import io.holdfast.pool.Price;
import io.holdfast.web.JsonFields;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What goes back to a buyer whose purchase is voided: taking a sale back is business, not a
/// rollback.
///
/// @param kind all of it, nothing, or `cents` of it
/// @param feeCents what is kept of a full refund
/// @param within for how long after the sale a refund is given; null for ever
record RefundPolicy(Kind kind, long cents, long feeCents, @Nullable Duration within) {
  private static final long CENTS_MOST = 1_000_000_000_000L;
  private static final long SECONDS_MOST = 315_360_000;

  enum Kind {
    FULL,
    NONE,
    PARTIAL
  }

  /// Refuses with `InvalidField` what makes no sense.
  static RefundPolicy read(JsonFields fields) {
    var word = fields.text("refund");
    if (!List.of("full", "none", "partial").contains(word)) {
      throw fields.invalid("refund", "has to be full, none or partial");
    }
    var kind = Kind.valueOf(word.toUpperCase(java.util.Locale.ROOT));
    var cents = fields.optionalWhole("refundCents", 0, CENTS_MOST);
    if ((kind == Kind.PARTIAL) != (cents != null)) {
      throw fields.invalid("refundCents", "belongs to a partial refund, and only to that");
    }
    var fee = fields.whole("feeCents", 0, CENTS_MOST, 0);
    if (kind != Kind.FULL && fee > 0) {
      throw fields.invalid("feeCents", "belongs to a full refund");
    }
    var within = fields.optionalWhole("withinSeconds", 1, SECONDS_MOST);
    return new RefundPolicy(
        kind, cents == null ? 0 : cents, fee, within == null ? null : Duration.ofSeconds(within));
  }

  /// A sale cannot be voided twice, so a slip of the pen must not pass for what was meant.
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
