package io.holdfast.commitment;

import static io.holdfast.commitment.ModelState.CONFIRMED;
import static io.holdfast.commitment.ModelState.HELD;
import static io.holdfast.commitment.ModelState.NONE;
import static io.holdfast.commitment.ModelState.RELEASED;
import static io.holdfast.commitment.ModelState.SOLD;

import io.holdfast.commitment.ModelState.Cell;
import io.holdfast.commitment.sale.ModelRules;
import io.holdfast.commitment.sale.RuleComparison;

/// The transactions of the model. Locks make them atomic, in Postgres as here.
public final class Transaction {
  private final ModelRules rules;
  private final RuleComparison same = new RuleComparison();

  Transaction(ModelRules rules) {
    this.rules = rules;
  }

  /// The order of the questions is that of `ConfirmRules`, which `RuleComparison` holds it to.
  ModelState commit(ModelState world, int call) {
    var hold = world.get(Cell.CONFIRM, call) - 1;
    var pin = world.get(Cell.CONFIRM_PIN, call);
    var verdict = verdict(world, call);
    if (rules.areOfTheCode()) {
      same.check(world, call, verdict);
    }
    var next = world.copy();
    switch (verdict) {
      case SELL -> sell(next, hold, pin);
      case REFUSE_AND_UNPIN -> {
        next.set(Cell.ROW, hold, HELD).set(Cell.ROW_PIN, hold, pin + 1);
        if (world.get(Cell.RESOLVER) == 0) { // the caller unpins, as a resolver does
          next.set(Cell.RESOLVER, hold + 1).set(Cell.RESOLVER_PIN, pin);
          next.set(Cell.RESOLVER_NEXT, pin + 1);
          next.set(Cell.RESOLVER_EPOCH, world.get(Cell.CONFIRM_EPOCH, call));
        }
      }
      case NOTHING -> {}
    }
    return next;
  }

  /// The kinds of results of a commit in the model.
  public enum Kind {
    SELL,
    REFUSE_AND_UNPIN,
    NOTHING
  }

  Kind verdict(ModelState world, int call) {
    var hold = world.get(Cell.CONFIRM, call) - 1;
    var pin = world.get(Cell.CONFIRM_PIN, call);
    var row = world.get(Cell.ROW, hold);
    var pinOnRecord = world.get(Cell.ROW_PIN, hold);
    var isShutOut =
        row > HELD
            || row == HELD && rules.isClaimed(pinOnRecord)
            || !rules.isCurrentEpoch(world.get(Cell.CONFIRM_EPOCH, call), world.get(Cell.EPOCH))
            || row == HELD && !rules.mayEnd(row, pinOnRecord, pin)
            || !rules.isInTime(world.get(Cell.NOW), world.get(Cell.CONFIRM_DEADLINE, call));
    if (isShutOut) {
      return Kind.NOTHING;
    }
    var maySell =
        rules.maySell(
            world.get(Cell.STATUS),
            world.get(Cell.ITEM_FENCE),
            world.get(Cell.ITEM_HOLDER) == hold + 1,
            world.get(Cell.FENCE, hold));
    return maySell ? Kind.SELL : Kind.REFUSE_AND_UNPIN;
  }

  private static void sell(ModelState world, int hold, int pin) {
    var fence = world.get(Cell.FENCE, hold);
    if (world.get(Cell.STATUS) == SOLD) {
      throw new InvariantViolation("the item was sold twice");
    }
    if (fence <= world.get(Cell.HIGHEST_SALE)) {
      throw new InvariantViolation("the item was sold at a fence that is not the highest");
    }
    world.set(Cell.ROW, hold, CONFIRMED).set(Cell.ROW_PIN, hold, pin).set(Cell.OUTBOX, hold, 1);
    world.set(Cell.STATUS, SOLD).set(Cell.ITEM_FENCE, fence).set(Cell.ITEM_HOLDER, hold + 1);
    world.set(Cell.HIGHEST_SALE, fence);
  }

  /// A release of a hold that was pinned when Redis was asked.
  ModelState end(ModelState world) {
    var hold = world.get(Cell.RELEASE) - 1;
    var pin = world.get(Cell.RELEASE_PIN);
    var row = world.get(Cell.ROW, hold);
    var pinOnRecord = world.get(Cell.ROW_PIN, hold);
    var next = world.copy();
    if (!rules.mayEndFrom(world.get(Cell.RELEASE_EPOCH), world.get(Cell.EPOCH))) {
      return next;
    }
    if (row == NONE
        || row == HELD && rules.mayEnd(row, pinOnRecord, pin) && !rules.isClaimed(pinOnRecord)) {
      next.set(Cell.ROW, hold, RELEASED).set(Cell.ROW_PIN, hold, pin).set(Cell.OUTBOX, hold, 1);
    }
    return next;
  }

  /// Invalidates the pin, and returns the state for Redis.
  ModelState resolve(ModelState world) {
    var hold = world.get(Cell.RESOLVER) - 1;
    var pin = world.get(Cell.RESOLVER_PIN);
    var row = world.get(Cell.ROW, hold);
    var pinOnRecord = world.get(Cell.ROW_PIN, hold);
    var next = world.copy();
    if (!rules.mayEndFrom(world.get(Cell.RESOLVER_EPOCH), world.get(Cell.EPOCH))) {
      return ModelSteps.noResolver(next);
    }
    if (row == NONE || row == HELD && pinOnRecord <= pin + 1 && !rules.isClaimed(pinOnRecord)) {
      next.set(Cell.ROW, hold, HELD).set(Cell.ROW_PIN, hold, pin + 1);
    }
    if (row > HELD) { // the outbox tells Redis, as the resolver does
      next.set(Cell.OUTBOX, hold, 1);
      return ModelSteps.noResolver(next);
    }
    return rules.resolverWritesFirst()
        ? next.set(Cell.RESOLVER_NEXT, next.get(Cell.ROW_PIN, hold))
        : ModelSteps.noResolver(next);
  }
}
