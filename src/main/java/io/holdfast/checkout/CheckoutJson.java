package io.holdfast.checkout;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.Saga;
import io.holdfast.checkout.step.CommitStep;
import io.holdfast.checkout.step.SoldLotStep;
import io.holdfast.web.Metadata;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A checkout in responses.
///
/// @param metadata null if the checkout was started without
/// @param commitmentId null as long as nothing was sold; it stays when the sale is voided
/// @param replacedBy the hold that was sold instead, because the first one had expired
@Serdeable
@Schema(name = "Checkout")
@JsonInclude(JsonInclude.Include.ALWAYS)
record CheckoutJson(
    String checkoutId,
    String pool,
    String holdId,
    String requester,
    @Nullable Map<String, String> metadata,
    String state,
    long amountCents,
    String currency,
    List<StepView> steps,
    @Nullable FailureView failure,
    @Nullable String commitmentId,
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

  @Serdeable
  @Schema(name = "Checkouts")
  record Listed(List<CheckoutJson> checkouts) {}

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
      @Nullable FailureView failure,
      @Nullable String commitmentId) {}

  static CheckoutJson of(Saga saga, CheckoutRun run) {
    var order = run.order();
    return new CheckoutJson(
        run.id().toString(),
        run.id().pool().value(),
        order.holdId(),
        order.requester(),
        Metadata.parse(order.metadata()),
        state(saga, run),
        order.price().cents(),
        order.price().currency(),
        run.steps().stream().map(CheckoutJson::step).toList(),
        failure(run),
        commitmentId(run),
        run.replacement());
  }

  static Undone undone(Saga saga, CheckoutRun run) {
    var why = run.failure() == null ? "a refund of a part of it" : run.failure().why();
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
        failure(run),
        commitmentId(run));
  }

  private static @Nullable String commitmentId(CheckoutRun run) {
    var seller = run.saga().equals(CheckoutFactory.AUCTION) ? SoldLotStep.NAME : CommitStep.NAME;
    var isSold =
        run.steps().stream()
            .anyMatch(step -> step.name().equals(seller) && step.state() == StepState.State.DONE);
    return isSold ? "cm~" + run.soldHold() : null;
  }

  static String state(Saga saga, CheckoutRun run) {
    return switch (run.phase()) {
      case FORWARD, DONE, REFUNDING -> saga.reached(run.stepsDone());
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

  /// The state of the undo takes precedence over that of the step. A part of a refund has no other.
  static String state(StepState step) {
    if (step.part() != null) {
      return switch (step.undo()) {
        case DONE -> "DONE";
        case STUCK -> "STUCK";
        case PLANNED, RETRY, IRREVOCABLE -> "PENDING";
      };
    }
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
