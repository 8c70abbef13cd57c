package io.holdfast.checkout;

import io.holdfast.pool.EndReason;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.pool.Price;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/// The refusals of a request to start a checkout. Nothing is charged in any of these cases.
final class CheckoutProblems {
  private CheckoutProblems() {}

  static @Nullable Problem of(CheckoutRequest request, HoldRecord hold, PoolPolicy policy) {
    if (hold.endReason() == EndReason.WINDOW || hold.endReason() == EndReason.LEASE) {
      return Problem.refused(
          HttpStatus.GONE, "window-elapsed", "The hold's time ran out; hold the items again.");
    }
    if (hold.bid() != null && hold.state() == HoldState.HELD) {
      return conflict("auction-open", "A bid is paid after it has won; the auction is not closed.");
    }
    var payable = hold.bid() == null ? HoldState.HELD : HoldState.CONFIRMED;
    if (hold.state() != payable || !hold.requester().equals(request.requester())) {
      return notHeld();
    }
    if (hold.fence().value() != request.fence()) {
      return conflict("stale-fence", "The hold has another fence than the one given.");
    }
    return policy.requireNonce() && request.nonce() == null ? nonceUnbound() : null;
  }

  static Problem nonceUnbound() {
    return Problem.refused(
        HttpStatus.FORBIDDEN,
        "nonce-unbound",
        "The pool requires a nonce that is valid for this hold and at this time; get one by POST"
            + " /v1/authorizations, and ask under a fresh token.");
  }

  static Problem nonceConsumed() {
    return Problem.refused(
        HttpStatus.FORBIDDEN,
        "nonce-consumed",
        "The nonce was used before; get another, and ask under a fresh token.");
  }

  static Problem unknownProvider(String provider) {
    return unprocessable(
            "unknown-provider", "No payment provider is called %s.".formatted(provider))
        .about("payment.provider");
  }

  static Problem unknownMethod(String method) {
    return unprocessable("unknown-method", "The provider knows no method %s.".formatted(method))
        .about("payment.method");
  }

  static Problem amountMismatch(Price price) {
    return unprocessable(
            "amount-mismatch",
            "The items of the hold cost %d cents in %s; nothing was charged."
                .formatted(price.cents(), price.currency()))
        .about("payment.amountCents");
  }

  static Problem exists() {
    return conflict(
        "checkout-exists",
        "A checkout of this hold is under way or has ended with a sale; read that checkout.");
  }

  static Problem notHeld() {
    return conflict("not-held", "The hold has ended, or it belongs to another requester.");
  }

  static Problem notKnown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such hold.");
  }

  /// Only Redis knows whether the hold is live.
  static ProblemException away() {
    return new ProblemException(
            Problem.unavailable(true, "Redis is away and nothing was done; ask again."))
        .with("Retry-After", "1");
  }

  private static Problem conflict(String code, String detail) {
    return Problem.refused(HttpStatus.CONFLICT, code, detail);
  }

  private static Problem unprocessable(String code, String detail) {
    return Problem.refused(HttpStatus.UNPROCESSABLE_ENTITY, code, detail);
  }
}
