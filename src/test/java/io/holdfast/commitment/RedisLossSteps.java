package io.holdfast.commitment;

import static io.holdfast.commitment.ModelState.EXPIRED;
import static io.holdfast.commitment.ModelState.FREE;
import static io.holdfast.commitment.ModelState.HELD;
import static io.holdfast.commitment.ModelState.HOLDS;
import static io.holdfast.commitment.ModelState.NONE;

import io.holdfast.commitment.ModelState.Cell;
import io.holdfast.commitment.ModelSteps.Taker;
import io.holdfast.commitment.sale.ModelRules;

/// The steps of the model on the data of Redis: the journal is drained, the data are lost or
/// replaced by older data, and the pool is seeded from Postgres in a new epoch.
final class RedisLossSteps {
  private final ModelRules rules;

  RedisLossSteps(ModelRules rules) {
    this.rules = rules;
  }

  /// A hold ends in Redis, with a line about it.
  static void finish(ModelState world, int hold, int end) {
    world.set(Cell.RECORD, hold, end);
    if (world.get(Cell.HOLDER) == hold + 1) {
      world.set(Cell.HOLDER, 0);
    }
    world.journal(hold, end, world.get(Cell.PIN, hold));
  }

  void follow(ModelState world, Taker taker) {
    if (world.get(Cell.OPEN) == 0) {
      reopen(world, taker);
      return;
    }
    if (world.get(Cell.LINES) > 0) {
      var next = world.copy();
      drain(next);
      taker.take("drain", true, next);
    }
    if (world.get(Cell.KNOWN_SOLD) != (world.get(Cell.STATUS) == FREE ? 0 : 1)) {
      var next = world.copy().set(Cell.KNOWN_SOLD, world.get(Cell.STATUS) == FREE ? 0 : 1);
      taker.take("reconcile", true, next);
    }
    lose(world, taker);
  }

  private static void lose(ModelState world, Taker taker) {
    if (world.get(Cell.COPIES_LEFT) > 0) {
      var next = world.copy().less(Cell.COPIES_LEFT);
      next.takeCopy();
      taker.take("Redis is copied", false, next);
    }
    if (world.get(Cell.LOSSES_LEFT) > 0) {
      var empty = world.copy().less(Cell.LOSSES_LEFT);
      empty.forget();
      taker.take("Redis loses its data", false, empty);
      taker.take("Redis restarts", false, world.copy().less(Cell.LOSSES_LEFT).set(Cell.OPEN, 0));
      if (world.get(Cell.COPY_IS_THERE) == 1) {
        var older = world.copy().less(Cell.LOSSES_LEFT);
        older.becomeCopy();
        taker.take("Redis becomes its copy", false, older.set(Cell.OPEN, 0));
      }
    }
    if (world.get(Cell.KEY_LOSSES_LEFT) > 0 && world.get(Cell.HOLDER) != 0) {
      var next = world.copy().less(Cell.KEY_LOSSES_LEFT).set(Cell.HOLDER, 0);
      taker.take("Redis loses the item's key", false, next);
    }
  }

  private void reopen(ModelState world, Taker taker) {
    if (world.get(Cell.RAISED) == 0) {
      var next = world.copy().set(Cell.EPOCH, world.get(Cell.EPOCH) + 1).set(Cell.RAISED, 1);
      taker.take("the epoch rises", true, next);
      return;
    }
    var next = world.copy();
    while (next.get(Cell.LINES) > 0) {
      drain(next);
    }
    for (var rank = 0; rank < HOLDS; rank++) {
      keep(next, byFence(next, rank));
    }
    for (var rank = 0; rank < HOLDS; rank++) {
      restore(next, byFence(next, rank));
    }
    next.set(Cell.OPEN, 1).set(Cell.RAISED, 0).set(Cell.SEQUENCE, 0);
    next.set(Cell.REDIS_EPOCH, next.get(Cell.EPOCH));
    next.set(Cell.KNOWN_SOLD, next.get(Cell.STATUS) == FREE ? 0 : 1);
    taker.take("Redis is filled and opened", true, next);
  }

  /// Higher fences come first.
  private static int byFence(ModelState world, int rank) {
    var isSecondHigher = world.get(Cell.FENCE, 1) > world.get(Cell.FENCE, 0);
    return isSecondHigher ? 1 - rank : rank;
  }

  /// A survivor stays if Postgres does not know it as ended.
  private static void keep(ModelState world, int hold) {
    if (world.get(Cell.RECORD, hold) != HELD) {
      return;
    }
    if (world.get(Cell.ROW, hold) > HELD) {
      world.set(Cell.RECORD, hold, NONE).set(Cell.PIN, hold, 0);
      if (world.get(Cell.HOLDER) == hold + 1) {
        world.set(Cell.HOLDER, 0);
      }
    } else if (world.get(Cell.HOLDER) == 0) {
      world.set(Cell.HOLDER, hold + 1);
    }
  }

  /// Restores the holds that are HELD in Postgres, unless a newer hold has the item.
  private static void restore(ModelState world, int hold) {
    if (world.get(Cell.RECORD, hold) != NONE || world.get(Cell.ROW, hold) != HELD) {
      return;
    }
    var rival = world.get(Cell.HOLDER) - 1;
    if (rival >= 0 && world.get(Cell.FENCE, rival) > world.get(Cell.FENCE, hold)) {
      world.journal(hold, EXPIRED, world.get(Cell.ROW_PIN, hold));
      return;
    }
    if (rival >= 0) {
      finish(world, rival, EXPIRED);
    }
    world.set(Cell.RECORD, hold, HELD).set(Cell.PIN, hold, world.get(Cell.ROW_PIN, hold));
    world.set(Cell.HOLDER, hold + 1);
  }

  /// The oldest line arrives in Postgres.
  private void drain(ModelState world) {
    var line = world.oldestLine();
    var row = world.get(Cell.ROW, line.hold());
    if (row == NONE) {
      world.set(Cell.ROW, line.hold(), line.state()).set(Cell.ROW_PIN, line.hold(), line.pin());
    } else if (line.state() != HELD && line.state() != row) {
      if (!rules.mayBring(row, world.get(Cell.ROW_PIN, line.hold()), line.pin())) {
        throw new InvariantViolation(
            "hold %d is %s in Postgres, and Redis has ended it as %s"
                .formatted(line.hold(), ModelRules.state(row), ModelRules.state(line.state())));
      }
      world.set(Cell.ROW, line.hold(), line.state());
      world.set(
          Cell.ROW_PIN, line.hold(), Math.max(line.pin(), world.get(Cell.ROW_PIN, line.hold())));
    }
  }
}
