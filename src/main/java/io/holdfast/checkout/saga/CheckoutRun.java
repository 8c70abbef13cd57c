package io.holdfast.checkout.saga;

import io.holdfast.pool.Price;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One run of a saga as it stands, under the lease of whoever has it.
///
/// @param order who buys what
/// @param tries how often the present step was tried
/// @param claimUntil until when the items are claimed
/// @param replacement the hold in the place of one that ran out
/// @param refundCents what is given back of what was captured; null for all of it
/// @param leaseNo only who has the current one can store anything
public record CheckoutRun(
    CheckoutId id,
    String saga,
    Order order,
    RunPhase phase,
    int stepsDone,
    int tries,
    @Nullable Failure failure,
    @Nullable Instant claimUntil,
    @Nullable String replacement,
    @Nullable Long refundCents,
    long leaseNo,
    Instant createdAt,
    List<StepState> steps) {

  /// @param fence as the buyer knows it
  public record Order(
      String caller,
      String requester,
      String holdId,
      long fence,
      String provider,
      String method,
      Price price) {}

  /// Why it is undone.
  public record Failure(String code, String why) {}

  public CheckoutRun {
    steps = List.copyOf(steps);
  }

  /// A run of which nothing is done yet; Postgres has the time of its beginning.
  public static CheckoutRun planned(CheckoutId id, Saga saga, Order order) {
    return new CheckoutRun(
        id,
        saga.name(),
        order,
        RunPhase.FORWARD,
        0,
        0,
        null,
        null,
        null,
        null,
        1,
        Instant.EPOCH,
        saga.steps().stream().map(step -> StepState.planned(id, step)).toList());
  }

  CheckoutRun begun(Instant at) {
    return new CheckoutRun(
        id,
        saga,
        order,
        phase,
        stepsDone,
        tries,
        failure,
        claimUntil,
        replacement,
        refundCents,
        leaseNo,
        at,
        steps);
  }

  CheckoutRun at(RunPhase next, int done, int tried, @Nullable Failure why) {
    return new CheckoutRun(
        id,
        saga,
        order,
        next,
        done,
        tried,
        why,
        claimUntil,
        replacement,
        refundCents,
        leaseNo,
        createdAt,
        steps);
  }

  /// @param until null once nothing is claimed
  public CheckoutRun claimed(@Nullable Instant until, @Nullable String inPlaceOf) {
    return new CheckoutRun(
        id,
        saga,
        order,
        phase,
        stepsDone,
        tries,
        failure,
        until,
        inPlaceOf,
        refundCents,
        leaseNo,
        createdAt,
        steps);
  }

  CheckoutRun with(int ordinal, UnaryOperator<StepState> change) {
    var changed = new ArrayList<>(steps);
    changed.set(ordinal, change.apply(steps.get(ordinal)));
    return new CheckoutRun(
        id,
        saga,
        order,
        phase,
        stepsDone,
        tries,
        failure,
        claimUntil,
        replacement,
        refundCents,
        leaseNo,
        createdAt,
        changed);
  }
}
