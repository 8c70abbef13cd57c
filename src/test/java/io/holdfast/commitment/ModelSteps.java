package io.holdfast.commitment;

import static io.holdfast.commitment.ModelState.CONFIRMED;
import static io.holdfast.commitment.ModelState.CONFIRMS;
import static io.holdfast.commitment.ModelState.EXPIRED;
import static io.holdfast.commitment.ModelState.FREE;
import static io.holdfast.commitment.ModelState.HELD;
import static io.holdfast.commitment.ModelState.HOLDS;
import static io.holdfast.commitment.ModelState.NONE;
import static io.holdfast.commitment.ModelState.RELEASED;

import io.holdfast.commitment.ModelState.Cell;
import io.holdfast.commitment.sale.ModelRules;

/// All steps of the model, each as atomic as its script or transaction. A lease can lapse at any
/// moment, and a call can die between any two of its steps.
final class ModelSteps {
  private static final int FENCES_PER_EPOCH = 4;

  private final ModelRules rules;
  private final RedisLossSteps life;
  private final Transaction transaction;

  ModelSteps(ModelRules rules) {
    this.rules = rules;
    this.life = new RedisLossSteps(rules);
    this.transaction = new Transaction(rules);
  }

  interface Taker {
    /// @param byItself whether it happens without any client, sooner or later
    void take(String step, boolean byItself, ModelState next);
  }

  /// Hands out every state that can follow.
  void follow(ModelState world, Taker taker) {
    for (var hold = 0; hold < HOLDS; hold++) {
      if (world.get(Cell.OPEN) == 1) {
        place(world, hold, taker);
        pin(world, hold, taker);
        release(world, hold, taker);
        sweep(world, hold, taker);
        settle(world, hold, taker);
      }
    }
    for (var call = 0; call < CONFIRMS; call++) {
      confirm(world, call, taker);
    }
    endPinned(world, taker);
    resolve(world, taker);
    life.follow(world, taker);
    if (world.get(Cell.NOW) == 0) {
      taker.take("time passes", true, world.copy().set(Cell.NOW, 1));
    }
    if (world.get(Cell.VOIDS_LEFT) > 0 && world.get(Cell.STATUS) == ModelState.SOLD) {
      var next = world.copy().less(Cell.VOIDS_LEFT).set(Cell.STATUS, FREE);
      taker.take("the sale is voided", false, next.set(Cell.ITEM_HOLDER, 0));
    }
  }

  private static void place(ModelState world, int hold, Taker taker) {
    if (world.get(Cell.HOLDER) == 0
        && world.get(Cell.KNOWN_SOLD) == 0
        && world.get(Cell.FENCE, hold) == 0) {
      var next = world.copy();
      next.set(Cell.SEQUENCE, world.get(Cell.SEQUENCE) + 1);
      next.set(
          Cell.FENCE,
          hold,
          world.get(Cell.REDIS_EPOCH) * FENCES_PER_EPOCH + next.get(Cell.SEQUENCE));
      next.set(Cell.RECORD, hold, HELD).set(Cell.HOLDER, hold + 1);
      next.journal(hold, HELD, 0);
      taker.take("place " + hold, false, next);
    }
  }

  private static boolean isPinned(ModelState world, int hold) {
    return world.get(Cell.PIN, hold) % 2 == 1;
  }

  private static void pin(ModelState world, int hold, Taker taker) {
    var call = world.get(Cell.CONFIRM, 0) == 0 ? 0 : 1;
    if (world.get(Cell.RECORD, hold) == HELD
        && world.get(Cell.CONFIRM, call) == 0
        && world.get(Cell.PINS_LEFT) > 0) {
      var old = world.get(Cell.PIN, hold);
      var next = world.copy().less(Cell.PINS_LEFT);
      next.set(Cell.PIN, hold, old + 1 + old % 2);
      next.set(Cell.CONFIRM, call, hold + 1).set(Cell.CONFIRM_PIN, call, next.get(Cell.PIN, hold));
      next.set(Cell.CONFIRM_EPOCH, call, world.get(Cell.REDIS_EPOCH));
      next.set(Cell.CONFIRM_DEADLINE, call, world.get(Cell.NOW) + 1);
      taker.take("pin " + hold, false, next);
    }
  }

  private void confirm(ModelState world, int call, Taker taker) {
    if (world.get(Cell.CONFIRM, call) != 0) {
      var hold = world.get(Cell.CONFIRM, call) - 1;
      taker.take("commit " + hold, false, forget(transaction.commit(world, call), call));
      taker.take("confirm " + hold + " dies", true, forget(world.copy(), call));
    }
  }

  private static ModelState forget(ModelState world, int call) {
    return world
        .set(Cell.CONFIRM, call, 0)
        .set(Cell.CONFIRM_PIN, call, 0)
        .set(Cell.CONFIRM_EPOCH, call, 0)
        .set(Cell.CONFIRM_DEADLINE, call, 0);
  }

  private static void release(ModelState world, int hold, Taker taker) {
    if (world.get(Cell.RECORD, hold) != HELD || world.get(Cell.RELEASES_LEFT) == 0) {
      return;
    }
    var next = world.copy().less(Cell.RELEASES_LEFT);
    if (!isPinned(world, hold)) {
      RedisLossSteps.finish(next, hold, RELEASED);
      taker.take("release " + hold, false, next);
    } else if (world.get(Cell.RELEASE) == 0) {
      next.set(Cell.RELEASE, hold + 1).set(Cell.RELEASE_PIN, world.get(Cell.PIN, hold));
      next.set(Cell.RELEASE_EPOCH, world.get(Cell.REDIS_EPOCH));
      taker.take("release " + hold + " finds it pinned", false, next);
    }
  }

  private void endPinned(ModelState world, Taker taker) {
    if (world.get(Cell.RELEASE) != 0) {
      taker.take("release in Postgres", false, noRelease(transaction.end(world)));
      taker.take("release dies", true, noRelease(world.copy()));
    }
  }

  private static ModelState noRelease(ModelState world) {
    return world.set(Cell.RELEASE, 0).set(Cell.RELEASE_PIN, 0).set(Cell.RELEASE_EPOCH, 0);
  }

  private static void sweep(ModelState world, int hold, Taker taker) {
    if (world.get(Cell.RECORD, hold) != HELD) {
      return;
    }
    var next = world.copy();
    if (!isPinned(world, hold)) {
      RedisLossSteps.finish(next, hold, EXPIRED);
      taker.take("sweep " + hold, true, next);
    } else if (world.get(Cell.RESOLVER) == 0) {
      next.set(Cell.RESOLVER, hold + 1).set(Cell.RESOLVER_PIN, world.get(Cell.PIN, hold));
      next.set(Cell.RESOLVER_EPOCH, world.get(Cell.REDIS_EPOCH));
      taker.take("sweep " + hold + " finds it pinned", true, next);
    }
  }

  private void resolve(ModelState world, Taker taker) {
    if (world.get(Cell.RESOLVER) == 0) {
      return;
    }
    var isBegun = world.get(Cell.RESOLVER_NEXT) != 0;
    if (isBegun == rules.resolverWritesFirst()) {
      unpin(world, taker);
    } else {
      taker.take("resolver writes", true, transaction.resolve(world));
    }
    taker.take("resolver dies", true, noResolver(world.copy()));
  }

  private void unpin(ModelState world, Taker taker) {
    var hold = world.get(Cell.RESOLVER) - 1;
    var pin = world.get(Cell.RESOLVER_PIN);
    var next = world.copy();
    var written = rules.resolverWritesFirst() ? world.get(Cell.RESOLVER_NEXT) : pin + 1;
    if (world.get(Cell.OPEN) == 1
        && world.get(Cell.RECORD, hold) == HELD
        && world.get(Cell.PIN, hold) == pin) {
      next.set(Cell.PIN, hold, written);
    }
    taker.take(
        "unpin " + hold,
        true,
        rules.resolverWritesFirst() ? noResolver(next) : next.set(Cell.RESOLVER_NEXT, written));
  }

  static ModelState noResolver(ModelState world) {
    return world
        .set(Cell.RESOLVER, 0)
        .set(Cell.RESOLVER_PIN, 0)
        .set(Cell.RESOLVER_EPOCH, 0)
        .set(Cell.RESOLVER_NEXT, 0);
  }

  /// The call that decided, or the relay if the call died, applies an outbox entry to Redis.
  private static void settle(ModelState world, int hold, Taker taker) {
    if (world.get(Cell.OUTBOX, hold) == 1) {
      var next = world.copy().set(Cell.OUTBOX, hold, 0);
      if (world.get(Cell.RECORD, hold) == HELD) {
        RedisLossSteps.finish(next, hold, world.get(Cell.ROW, hold));
      }
      next.set(Cell.KNOWN_SOLD, world.get(Cell.STATUS) == FREE ? 0 : 1);
      taker.take("settle " + hold, true, next);
    }
  }

  /// What must hold in every state.
  static void check(ModelState world) {
    for (var hold = 0; hold < HOLDS; hold++) {
      var record = world.get(Cell.RECORD, hold);
      var isEndedInRedis =
          record == RELEASED
              || record == EXPIRED
              || world.hasLineOf(hold, RELEASED)
              || world.hasLineOf(hold, EXPIRED);
      if (world.get(Cell.ROW, hold) == CONFIRMED && isEndedInRedis) {
        throw new InvariantViolation(
            "hold %d was sold, and released or expired as well".formatted(hold));
      }
    }
  }

  /// Nothing is left to be decided.
  static boolean isOver(ModelState world) {
    for (var hold = 0; hold < HOLDS; hold++) {
      if (world.get(Cell.RECORD, hold) == HELD
          || world.get(Cell.ROW, hold) == HELD
          || world.get(Cell.OUTBOX, hold) != NONE) {
        return false;
      }
    }
    return world.get(Cell.OPEN) == 1 && world.get(Cell.LINES) == 0;
  }
}
