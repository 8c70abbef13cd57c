package io.holdfast.checkout;

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
record Run(
    CheckoutId id,
    String saga,
    Order order,
    Phase phase,
    int stepsDone,
    int tries,
    @Nullable Failure failure,
    @Nullable Instant claimUntil,
    @Nullable String replacement,
    @Nullable Long refundCents,
    long leaseNo,
    Instant createdAt,
    List<RunStep> steps) {

  /// @param fence as the buyer knows it
  record Order(
      String caller,
      String requester,
      String holdId,
      long fence,
      String provider,
      String method,
      Price price) {}

  /// Why it is undone.
  record Failure(String code, String why) {}

  Run {
    steps = List.copyOf(steps);
  }

  /// A run of which nothing is done yet; Postgres has the time of its beginning.
  static Run planned(CheckoutId id, Saga saga, Order order) {
    return new Run(
        id,
        saga.name(),
        order,
        Phase.FORWARD,
        0,
        0,
        null,
        null,
        null,
        null,
        1,
        Instant.EPOCH,
        saga.steps().stream().map(step -> RunStep.planned(id, step)).toList());
  }

  Run begun(Instant at) {
    return new Run(
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

  Run at(Phase next, int done, int tried, @Nullable Failure why) {
    return new Run(
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
  Run claimed(@Nullable Instant until, @Nullable String inPlaceOf) {
    return new Run(
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

  Run with(int ordinal, UnaryOperator<RunStep> change) {
    var changed = new ArrayList<>(steps);
    changed.set(ordinal, change.apply(steps.get(ordinal)));
    return new Run(
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
