package io.holdfast.checkout;

import io.holdfast.Settings;
import io.holdfast.postgres.Transactions;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;
import java.util.List;

/// Puts the checkout together, at the start, so that a wrong setting or a wrong declaration ends it
/// there.
@Factory
final class CheckoutFactory {
  static final String CHECKOUT = "checkout";

  @Context
  CheckoutSettings settings(Settings settings) {
    return CheckoutSettings.of(settings);
  }

  /// The table of steps; what undoes each is in the step itself.
  @Singleton
  Sagas sagas(
      ClaimStep claim,
      AuthoriseStep authorise,
      CommitStep commit,
      CaptureStep capture,
      FulfilStep fulfil) {
    return new Sagas(
        List.of(new Saga(CHECKOUT, List.of(claim, authorise, commit, capture, fulfil))));
  }

  @Singleton
  SagaEngine engine(Transactions transactions, CheckoutSettings settings, CheckoutEvents events) {
    return new SagaEngine(new Storing(transactions, settings, events));
  }
}
