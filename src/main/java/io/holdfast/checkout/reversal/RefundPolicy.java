package io.holdfast.checkout.reversal;

import io.holdfast.checkout.reversal.SoldOrder.Item;
import io.holdfast.web.InvalidField;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What is refunded to the buyer of voided items. A field of the request takes the place of the
/// term that was kept with the sale.
///
/// @param kind all of it, nothing, or `cents` of it
/// @param feeCents kept of a full refund; null for the fee of the terms
/// @param within the time after the sale in which it can be voided; null for that of the terms
record RefundPolicy(Kind kind, long cents, @Nullable Long feeCents, @Nullable Duration within) {
  enum Kind {
    FULL,
    NONE,
    PARTIAL;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Refuses fields that contradict each other with `InvalidField`.
  static RefundPolicy of(VoidBody body) {
    var kind = Kind.valueOf(body.refund().toUpperCase(Locale.ROOT));
    var cents = body.refundCents();
    if ((kind == Kind.PARTIAL) != (cents != null)) {
      throw InvalidField.of("refundCents", "belongs to a partial refund, and only to that");
    }
    if (kind != Kind.FULL && body.feeCents() != null && body.feeCents() > 0) {
      throw InvalidField.of("feeCents", "belongs to a full refund");
    }
    var within = body.withinSeconds();
    return new RefundPolicy(
        kind,
        cents == null ? 0 : cents,
        body.feeCents(),
        within == null ? null : Duration.ofSeconds(within));
  }

  /// An item cannot be voided twice, so a typing error must not pass.
  void refuseMoreThan(long paidCents) {
    if (cents > paidCents) {
      throw InvalidField.of("refundCents", "has to be at most the price, " + paidCents);
    }
    if (feeCents != null && feeCents > paidCents) {
      throw InvalidField.of("feeCents", "has to be at most the price, " + paidCents);
    }
  }

  /// The terms limit the time for refunds; a void without a refund has no limit of theirs.
  boolean isTooLate(SoldOrder sale) {
    var limit = within == null && kind != Kind.NONE ? sale.terms().within() : within;
    return limit != null && sale.now().isAfter(sale.committedAt().plus(limit));
  }

  /// What of `paidCents` is refunded for these items of the sale.
  long centsBack(SoldOrder sale, List<Item> part, long paidCents) {
    var back =
        switch (kind) {
          case FULL -> paidCents - (feeCents == null ? sale.fee(part) : feeCents);
          case NONE -> 0;
          case PARTIAL -> cents;
        };
    return Math.clamp(back, 0, paidCents);
  }
}
