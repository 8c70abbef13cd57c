package io.holdfast.checkout.saga;

import io.holdfast.pool.HoldId;
import io.holdfast.pool.Price;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The state of one run of a saga, as the holder of its lease read it.
///
/// @param order who buys what
/// @param tries of the current step
/// @param claimUntil when the claim of the items ends; null if nothing is claimed
/// @param replacement the hold that replaces one that expired
/// @param refundCents the part of the captured amount to refund; null for all of it
/// @param leaseNo only the holder of the current lease can store anything
public record CheckoutRun(
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
    List<StepState> steps) {

  /// @param fence as the buyer knows it
  /// @param metadata what the caller stores with the checkout: a JSON object, or nothing
  /// @param logicalKey null for the key of the hold
  /// @param nonceHash of the nonce that the sale consumes, one char a byte; null without one
  public record Order(
      String caller,
      String requester,
      String holdId,
      long fence,
      String provider,
      String method,
      Price price,
      String metadata,
      @Nullable String logicalKey,
      @Nullable String nonceHash) {}

  /// Why the run is compensated.
  public record Failure(String code, String why) {}

  public CheckoutRun {
    steps = List.copyOf(steps);
  }

  /// A new run. Postgres sets the time of its start.
  public static CheckoutRun planned(CheckoutId id, Saga saga, Order order) {
    return new CheckoutRun(
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
        saga.steps().stream().map(step -> StepState.planned(id, step)).toList());
  }

  /// The hold that the buyer named.
  public HoldId hold() {
    return HoldId.parse(order.holdId()).orElseThrow();
  }

  /// The hold whose items are sold: the replacement, if there is one.
  public HoldId soldHold() {
    return replacement == null ? hold() : HoldId.parse(replacement).orElseThrow();
  }

  /// What was paid, without the parts that were voided.
  public Price unvoided() {
    var voided =
        steps.stream().map(StepState::part).filter(Objects::nonNull).mapToLong(Part::valueCents);
    return new Price(order.price().cents() - voided.sum(), order.price().currency());
  }

  /// Whether that step has to be undone in this phase.
  boolean isDue(StepState step) {
    return switch (phase) {
      case COMPENSATING -> step.needsUndo();
      case REFUNDING -> step.needsUndo() && step.part() != null;
      case FORWARD, DONE, COMPENSATED, STUCK -> false;
    };
  }

  /// Whether this is an end that nobody was told of. A fulfilled run that has refunded parts of it
  /// is still fulfilled.
  public boolean hasEndedSince(CheckoutRun before) {
    return phase.isEnd() && !(before.phase == Phase.REFUNDING && phase == Phase.DONE);
  }

  CheckoutRun startedAt(Instant at) {
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

  CheckoutRun moved(Phase next, int done, int tried, @Nullable Failure why) {
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

  /// @param until null if nothing is claimed
  public CheckoutRun claimed(@Nullable Instant until, @Nullable String replacedBy) {
    return new CheckoutRun(
        id,
        saga,
        order,
        phase,
        stepsDone,
        tries,
        failure,
        until,
        replacedBy,
        refundCents,
        leaseNo,
        createdAt,
        steps);
  }

  CheckoutRun withStep(int ordinal, UnaryOperator<StepState> change) {
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

  /// The direction of a run, or how it ended.
  public enum Phase {
    FORWARD,
    COMPENSATING,
    /// It is fulfilled, and parts of its payment are being refunded.
    REFUNDING,
    DONE,
    COMPENSATED,
    /// A step could not be undone. An operator has to look at it and resume the run.
    STUCK;

    public boolean isEnd() {
      return switch (this) {
        case FORWARD, COMPENSATING, REFUNDING -> false;
        case DONE, COMPENSATED, STUCK -> true;
      };
    }

    /// Whether its buyer has bought or not bought, for good.
    public boolean isDecided() {
      return isEnd() || this == REFUNDING;
    }
  }

  /// A part of what a step has moved.
  ///
  /// @param refundCents what of it is given back
  public record Part(long valueCents, long refundCents) {}

  /// The state of one step of a run, or of the undo of a part of it.
  ///
  /// @param changedAt null before the first result
  /// @param part null for a whole step
  public record StepState(
      String name,
      String callId,
      String undoId,
      State state,
      Undo undo,
      int undoTries,
      String detail,
      @Nullable Instant changedAt,
      @Nullable Part part) {

    public enum State {
      PLANNED,
      DONE,
      FAILED,
      /// It may have happened, so it is undone.
      UNKNOWN
    }

    public enum Undo {
      PLANNED,
      IRREVOCABLE,
      RETRY,
      DONE,
      STUCK
    }

    static StepState planned(CheckoutId id, Step step) {
      var callId = id + ":" + step.name();
      return new StepState(
          step.name(),
          callId,
          callId + ":undo",
          State.PLANNED,
          step.canBeUndone() ? Undo.PLANNED : Undo.IRREVOCABLE,
          0,
          "",
          null,
          null);
    }

    /// Whether a run that is compensated still has to undo it.
    boolean needsUndo() {
      return switch (state) {
        case PLANNED, FAILED -> false;
        case DONE, UNKNOWN -> undo == Undo.PLANNED || undo == Undo.RETRY;
      };
    }

    StepState ended(State result, String reason, Instant at) {
      return new StepState(name, callId, undoId, result, undo, undoTries, reason, at, part);
    }

    StepState undone(Undo result, int tries, String reason, Instant at) {
      return new StepState(name, callId, undoId, state, result, tries, reason, at, part);
    }
  }
}
