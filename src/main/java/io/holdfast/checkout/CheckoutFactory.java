package io.holdfast.checkout;

import io.holdfast.checkout.saga.Saga;
import io.holdfast.checkout.saga.SagaEngine;
import io.holdfast.checkout.saga.SagaRegistry;
import io.holdfast.checkout.saga.TurnStore;
import io.holdfast.checkout.step.AuthoriseStep;
import io.holdfast.checkout.step.CaptureStep;
import io.holdfast.checkout.step.ClaimStep;
import io.holdfast.checkout.step.CommitStep;
import io.holdfast.checkout.step.FulfilStep;
import io.holdfast.checkout.step.SoldLotStep;
import io.holdfast.config.Settings;
import io.holdfast.postgres.Transactions;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;
import java.util.List;

/// Creates the checkout saga at the start, so that an invalid setting or declaration ends it there.
@Factory
final class CheckoutFactory {
  static final String CHECKOUT = "checkout";

  static final String AUCTION = SoldLotStep.SAGA;

  @Context
  CheckoutSettings settings(Settings settings) {
    return CheckoutSettings.of(settings);
  }

  /// The steps in order. The undo of each is in the step itself.
  @Singleton
  SagaRegistry sagas(
      ClaimStep claim,
      SoldLotStep lot,
      AuthoriseStep authorise,
      CommitStep commit,
      CaptureStep capture,
      FulfilStep fulfil) {
    return new SagaRegistry(
        List.of(
            new Saga(CHECKOUT, List.of(claim, authorise, commit, capture, fulfil)),
            new Saga(AUCTION, List.of(lot, authorise, capture, fulfil))));
  }

  @Singleton
  SagaEngine engine(Transactions transactions, CheckoutSettings settings, CheckoutEvents events) {
    return new SagaEngine(new TurnStore(transactions, settings, events));
  }
}
