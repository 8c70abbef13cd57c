package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.intent.IntentMode;
import io.holdfast.intent.IntentUnavailable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;

/// What the loss of the intent layer becomes where no outcome says so: on routes that only look.
@Singleton
final class IntentRefusal implements ExceptionHandler<IntentUnavailable, HttpResponse<?>> {
  private final IntentMode mode;

  IntentRefusal(IntentMode mode) {
    this.mode = mode;
  }

  @Override
  public HttpResponse<?> handle(
      @SuppressWarnings("rawtypes") HttpRequest request, IntentUnavailable lost) {
    return HoldAnswers.away(new Away(lost.isDefinite(), mode.server() + " gave no answer"));
  }
}
