package io.holdfast.commitment.sale;

import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.ModelState;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.testing.Samples;
import java.time.Instant;

/// The rules of the model: the predicates of the code, and variants without one of them.
public class ModelRules {
  public static final ModelRules OF_THE_CODE = new ModelRules();

  public static final ModelRules WITHOUT_PIN_NUMBER =
      new ModelRules() {
        @Override
        public boolean mayEnd(int state, int pinOnRecord, int pin) {
          return super.mayEnd(state, 0, pin);
        }
      };

  public static final ModelRules WITHOUT_EPOCH =
      new ModelRules() {
        @Override
        public boolean isCurrentEpoch(int pinned, int now) {
          return true;
        }
      };

  public static final ModelRules WITHOUT_FENCE =
      new ModelRules() {
        @Override
        public boolean maySell(int status, int itemFence, boolean isHolder, int fence) {
          return super.maySell(status, status == ModelState.FREE ? 0 : itemFence, isHolder, fence);
        }
      };

  public static final ModelRules UNPIN_BEFORE_WRITING =
      new ModelRules() {
        @Override
        public boolean resolverWritesFirst() {
          return false;
        }
      };

  public static final ModelRules ENDS_WITHOUT_EPOCH =
      new ModelRules() {
        @Override
        public boolean mayEndFrom(int pinned, int now) {
          return true;
        }
      };

  public static final ModelRules DRAINER_WITH_PIN_NUMBER =
      new ModelRules() {
        @Override
        public boolean mayBring(int state, int pinOnRecord, int pin) {
          return super.mayEnd(state, pinOnRecord, pin);
        }
      };

  public boolean mayEnd(int state, int pinOnRecord, int pin) {
    return ConfirmRules.mayEnd(state(state), pinOnRecord, pin);
  }

  public boolean isCurrentEpoch(int pinned, int now) {
    return ConfirmRules.isCurrentEpoch(new Epoch(pinned), new Epoch(now));
  }

  public boolean isInTime(int now, int deadline) {
    return ConfirmRules.isInTime(Instant.ofEpochMilli(now), Instant.ofEpochMilli(deadline));
  }

  public boolean maySell(int status, int itemFence, boolean isHolder, int fence) {
    var item =
        new LockedFacts.Item(
            new ItemId("A-1"),
            Status.values()[status],
            itemFence,
            status == ModelState.FREE ? null : isHolder ? "us" : "them",
            null,
            0);
    return ConfirmRules.maySell(item, "us", fence);
  }

  /// Whether a call that saw the pin in one epoch may end the hold, or resolve the pin, in another:
  /// the check of `EpochCheck`.
  public boolean mayEndFrom(int pinned, int now) {
    return isCurrentEpoch(pinned, now);
  }

  /// Whether an end that Redis has decided is taken over, as the statement of the drainer has it.
  public boolean mayBring(int state, int pinOnRecord, int pin) {
    return state == ModelState.HELD && !isClaimed(pinOnRecord);
  }

  /// Of a row that is HELD.
  public boolean isClaimed(int pinOnRecord) {
    return ConfirmRules.isClaimed(Samples.pinned(Samples.aHold(1, 1), pinOnRecord));
  }

  public boolean resolverWritesFirst() {
    return true;
  }

  /// Whether sales are decided by `ConfirmRules`.
  public boolean areOfTheCode() {
    return this == OF_THE_CODE || this == ENDS_WITHOUT_EPOCH || this == DRAINER_WITH_PIN_NUMBER;
  }

  public static HoldState state(int state) {
    return HoldState.values()[state - 1];
  }
}
