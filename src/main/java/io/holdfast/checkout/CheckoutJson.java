package io.holdfast.checkout;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.Saga;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A checkout in responses.
///
/// @param replacedBy the hold that was sold instead, because the first one had expired
@Serdeable
@Schema(name = "Checkout")
@JsonInclude(JsonInclude.Include.ALWAYS)
record CheckoutJson(
    String checkoutId,
    String pool,
    String holdId,
    String requester,
    String state,
    long amountCents,
    String currency,
    List<StepView> steps,
    @Nullable FailureView failure,
    @Nullable String replacedBy) {
  private static final DateTimeFormatter MILLISECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /// @param at when the step reached its state; null while it is PENDING
  @Serdeable
  @Schema(name = "CheckoutStep")
  @JsonInclude(JsonInclude.Include.ALWAYS)
  record StepView(String name, String state, @Nullable String at, String detail) {}

  @Serdeable
  @Schema(name = "CheckoutFailure")
  record FailureView(String code, String detail) {}

  /// The response for a checkout that was compensated: a problem that names the checkout.
  @Serdeable
  @JsonInclude(JsonInclude.Include.ALWAYS)
  record Undone(
      String type,
      String title,
      int status,
      String detail,
      String code,
      boolean definite,
      boolean retryable,
      String checkoutId,
      String state,
      @Nullable FailureView failure) {}

  static CheckoutJson of(Saga saga, CheckoutRun run) {
    var order = run.order();
    return new CheckoutJson(
        run.id().toString(),
        run.id().pool().value(),
        order.holdId(),
        order.requester(),
        state(saga, run),
        order.price().cents(),
        order.price().currency(),
        run.steps().stream().map(CheckoutJson::step).toList(),
        failure(run),
        run.replacement());
  }

  static Undone undone(Saga saga, CheckoutRun run) {
    var why = run.failure() == null ? "it was voided" : run.failure().why();
    var detail =
        run.phase() == Phase.STUCK
            ? "The checkout failed (%s), and could not be undone completely; an operator has to"
                + " look at it."
            : "The checkout failed (%s) and was undone; no money was kept for it.";
    var problem = Problem.refused(HttpStatus.CONFLICT, "checkout-failed", detail.formatted(why));
    return new Undone(
        problem.type(),
        problem.title(),
        problem.status(),
        problem.detail(),
        problem.code(),
        problem.definite(),
        problem.retryable(),
        run.id().toString(),
        state(saga, run),
        failure(run));
  }

  static String state(Saga saga, CheckoutRun run) {
    return switch (run.phase()) {
      case FORWARD, DONE -> saga.reached(run.stepsDone());
      case COMPENSATING, COMPENSATED, STUCK -> run.phase().name();
    };
  }

  private static @Nullable FailureView failure(CheckoutRun run) {
    return run.failure() == null
        ? null
        : new FailureView(run.failure().code(), run.failure().why());
  }

  private static StepView step(StepState step) {
    return new StepView(step.name(), state(step), format(step.changedAt()), step.detail());
  }

  /// The state of the undo takes precedence over that of the step.
  static String state(StepState step) {
    return switch (step.undo()) {
      case DONE -> "COMPENSATED";
      case RETRY -> "COMPENSATING";
      case STUCK -> "STUCK";
      case PLANNED, IRREVOCABLE ->
          step.state() == StepState.State.PLANNED ? "PENDING" : step.state().name();
    };
  }

  private static @Nullable String format(@Nullable Instant moment) {
    return moment == null ? null : MILLISECONDS.format(moment);
  }
}
