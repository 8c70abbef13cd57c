package io.holdfast.payment;

import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Pending;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.payment.notice.NoticeBody;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.holdfast.web.UnparsableBody;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads what a provider has answered. Only an answer that says in full what was asked is a yes,
/// and only one that blames the request is a no; everything else is unknown.
record ProviderResponse(String provider, PaymentStep step, PaymentCall call) {
  private static final Logger LOG = LoggerFactory.getLogger(ProviderResponse.class);

  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int IN_FLIGHT = 409;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY = 429;

  PaymentOutcome read(int status, byte[] body) {
    return switch (status) {
      case OK -> done(body);
      case ACCEPTED -> new Pending(provider + " tells by a notice");
      case REQUEST_TIMEOUT, IN_FLIGHT, TOO_EARLY, TOO_MANY ->
          new Unknown("%s answered %d, which says nothing yet".formatted(provider, status));
      default ->
          status / 100 == 4
              ? new Declined("%s answered %d".formatted(provider, status))
              : new Unknown("%s answered %d".formatted(provider, status));
    };
  }

  /// A provider may add fields of its own.
  private PaymentOutcome done(byte[] body) {
    try {
      var fields = JsonFields.of(JsonBody.read(body));
      var reference = fields.text("reference");
      var moved = NoticeBody.price(fields);
      if (moved == null || !step.isDoneBy(call.amount(), moved)) {
        LOG.error(
            "{} was asked to {} {} by call {} of payment {} and says it moved {}; nobody knows what"
                + " it did, an operator has to look at it",
            provider,
            step.word(),
            call.amount(),
            call.callId(),
            call.paymentId(),
            moved);
        return new Unknown("%s says it moved %s, not %s".formatted(provider, moved, call.amount()));
      }
      return new Done(reference, moved);
    } catch (UnparsableBody | InvalidField e) {
      LOG.error("{} gave an answer to call {} that makes no sense", provider, call.callId(), e);
      return new Unknown("the answer of " + provider + " makes no sense: " + e.getMessage());
    }
  }
}
