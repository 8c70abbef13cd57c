package io.holdfast.commitment.sale;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.ModelState;
import io.holdfast.commitment.ModelState.Cell;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.Transaction.Kind;
import io.holdfast.commitment.sale.ConfirmVerdict.Refuse;
import io.holdfast.commitment.sale.ConfirmVerdict.Sell;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.testing.Samples;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Compares the model with the code: `ConfirmRules` decides every commit of the model as well.
public final class RuleComparison {
  private static final PoolName ARENA = new PoolName("arena");
  private static final Pool POOL =
      Pool.fresh(ARENA, PoolKind.SEATS, PoolPolicy.of(PoolKind.SEATS), 1, null, null);
  private static final Epoch FIRST = new Epoch(1);

  private final Map<Question, Kind> judged = new HashMap<>();

  private record Question(
      int row,
      int pinOnRecord,
      int pin,
      int pinEpoch,
      int epoch,
      int deadline,
      int now,
      int fence,
      int status,
      int itemFence,
      boolean isHolder) {}

  public void check(ModelState world, int call, Kind kind) {
    var hold = world.get(Cell.CONFIRM, call) - 1;
    var question =
        new Question(
            world.get(Cell.ROW, hold),
            world.get(Cell.ROW_PIN, hold),
            world.get(Cell.CONFIRM_PIN, call),
            world.get(Cell.CONFIRM_EPOCH, call),
            world.get(Cell.EPOCH),
            world.get(Cell.CONFIRM_DEADLINE, call),
            world.get(Cell.NOW),
            world.get(Cell.FENCE, hold),
            world.get(Cell.STATUS),
            world.get(Cell.ITEM_FENCE),
            world.get(Cell.ITEM_HOLDER) == hold + 1);
    var said = judged.computeIfAbsent(question, RuleComparison::judge);
    if (said != kind) {
      throw new AssertionError(
          "the judge says %s where the model says %s: %s".formatted(said, kind, question));
    }
  }

  private static Kind judge(Question asked) {
    var plain = Samples.aHold(1, asked.fence);
    var pinned = Samples.pinned(plain, asked.pin);
    var deadline = Samples.NOON.plusMillis(asked.deadline);
    var confirm =
        new ConfirmRequest(
            POOL,
            plain.caller(),
            new Token("t"),
            Digest.of("confirm", List.of(), Map.of()),
            plain.id(ARENA),
            plain.requester(),
            plain.fence().value(),
            "order",
            null,
            null,
            null,
            null,
            new Pinned(pinned, deadline, new Epoch(asked.pinEpoch)));
    var facts =
        new LockedFacts(
            Samples.NOON.plusMillis(asked.now),
            new Epoch(asked.epoch),
            null,
            null,
            row(plain, asked),
            null,
            null,
            List.of(item(plain, asked)),
            null,
            null);
    return switch (ConfirmRules.decide(confirm, facts)) {
      case Sell _ -> Kind.SELL;
      case Refuse(_, var unpins) when unpins -> Kind.REFUSE_AND_UNPIN;
      case ConfirmVerdict _ -> Kind.NOTHING;
    };
  }

  private static @Nullable HoldRecord row(HoldRecord hold, Question asked) {
    if (asked.row == ModelState.NONE) {
      return null;
    }
    var row = Samples.pinned(hold, asked.pinOnRecord);
    var state = ModelRules.state(asked.row);
    return state == HoldState.HELD
        ? row
        : row.ended(state, Samples.NOON, state == HoldState.EXPIRED ? EndReason.LOST : null);
  }

  private static LockedFacts.Item item(HoldRecord hold, Question asked) {
    var status = Status.values()[asked.status];
    var holder = asked.isHolder ? hold.id(ARENA).toString() : "another";
    return new LockedFacts.Item(
        new ItemId("A-1"),
        status,
        asked.itemFence == 0 ? 0 : Samples.fence(FIRST.value(), asked.itemFence).value(),
        status == Status.FREE ? null : holder,
        null,
        0);
  }
}
