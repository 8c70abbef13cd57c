package io.holdfast.commitment;

import io.holdfast.commitment.ClaimOutcome.Done;
import io.holdfast.commitment.ClaimOutcome.NotNow;
import io.holdfast.commitment.ClaimOutcome.Refused;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.Intent.Pinned;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.Verdict.Nothing;
import io.holdfast.commitment.Verdict.Prior;
import io.holdfast.commitment.Verdict.Refuse;
import io.holdfast.commitment.Verdict.Repeat;
import io.holdfast.commitment.Verdict.Sell;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/// What a checkout does with the items of a hold: claims them at its fence, and sells them at that
/// same fence or gives them back. Each step is a part of the caller's transaction, beside the
/// step's own row; none of them commits. While a hold is claimed its row has the odd number of the
/// pin, so neither another call nor the resolver can end it.
@Singleton
public final class Claims {
  private final CommitSettings settings;
  private final String artifact;

  Claims(CommitSettings settings, Artifact artifact) {
    this.settings = settings;
    this.artifact = artifact.hash();
  }

  /// All of the items or none. Claiming again at the same pin moves the end of the claim.
  ///
  /// @param request what will be sold, with the hold that is pinned; its token has no part in this
  public ClaimOutcome claim(Transaction transaction, Confirm request, Instant claimUntil) {
    return step(
        transaction,
        request,
        (facts, pinned) -> claim(transaction, request, facts, pinned, claimUntil));
  }

  /// Sells what was claimed, with all that belongs to a sale but the outcome of a token.
  public ClaimOutcome sell(Transaction transaction, Confirm request) {
    return step(transaction, request, (facts, pinned) -> sell(transaction, request, facts, pinned));
  }

  /// Items become free and keep their fence; the hold is plain again, and all pins so far are shut
  /// out.
  public ClaimOutcome giveBack(Transaction transaction, PoolName pool, HoldRecord pinned) {
    try {
      var moves = Items.moves(pool, pinned, Status.FREE, null, pinned.placedAt()).toList();
      var writing = new Writing(transaction.connection(), true);
      var write = new HoldWrite(pool, pinned, pinned.pinNo() + 1);
      writing
          .add(HoldWrite.UNCLAIM, List.of(write), HoldWrite::bindClaim)
          .add(Items.GIVE_BACK, moves, Items::bindBack);
      return isDoneOrUndone(transaction.connection(), writing)
          ? new Done(pinned, writing.versions(pinned.id(pool).toString()))
          : new Refused(Judge.NOT_HELD);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private interface Step {
    ClaimOutcome on(Facts facts, Pinned pinned) throws SQLException;
  }

  /// Locks what the step could change, in the order of all others.
  private ClaimOutcome step(Transaction transaction, Confirm request, Step step) {
    if (!(request.intent() instanceof Pinned pinned)) {
      throw new IllegalArgumentException("only what is pinned can be claimed or sold");
    }
    try {
      var facts =
          Reading.read(transaction.connection(), List.of(request), true, settings.inflightWait())
              .getFirst();
      return facts == null ? new NotNow(new Running()) : step.on(facts, pinned);
    } catch (SQLException e) {
      if (SaleEnd.rolledBack(e).cause() == SaleEnd.Cause.LOCKED) {
        return new NotNow(new Running());
      }
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private ClaimOutcome claim(
      Transaction transaction, Confirm request, Facts facts, Pinned pinned, Instant claimUntil)
      throws SQLException {
    return switch (Judge.judgeClaim(request, facts, pinned)) {
      case Refuse(var outcome, _) -> new Refused(outcome);
      case Nothing(var outcome) -> new NotNow(outcome);
      case Prior _, Repeat _ -> new Refused(Judge.REPLAY_DUPLICATE);
      case Sell _ -> {
        var pool = request.pool().name();
        var hold = pinned.hold();
        var moves = Items.moves(pool, hold, Status.CLAIMED, claimUntil, pinned.deadline()).toList();
        var writing =
            new Writing(transaction.connection(), true)
                .add(
                    HoldWrite.UPSERT,
                    List.of(new HoldWrite(pool, hold, hold.pinNo())),
                    HoldWrite::bind)
                .add(Items.TAKE, moves, Items::bind);
        yield done(transaction.connection(), writing, hold, hold.id(pool).toString());
      }
    };
  }

  private ClaimOutcome sell(Transaction transaction, Confirm request, Facts facts, Pinned pinned)
      throws SQLException {
    var row = facts.hold();
    var isOurs = row != null && Judge.isClaimed(row) && row.pinNo() == pinned.hold().pinNo();
    if (facts.consumed() != null) {
      return new Refused(Judge.REPLAY_DUPLICATE);
    }
    if (!isOurs) {
      return new Refused(Judge.NOT_HELD);
    }
    var sold = Judge.sold(pinned.hold(), facts.now());
    var sale = List.of(new Sale(request, sold, facts.items(), ReplayKey.of(request, artifact)));
    var moves = sale.getFirst().moves().toList();
    var pool = request.pool().name();
    var writing =
        new Writing(transaction.connection(), true)
            .add(
                HoldWrite.UPSERT, List.of(new HoldWrite(pool, sold, sold.pinNo())), HoldWrite::bind)
            .add(Items.SELL_CLAIMED, moves, Items::bind)
            .add(Sale.CONSUME, sale, Sale::bindConsumed)
            .add(Sale.COMMIT_ITEMS, sale, Sale::bindItems, moves.size())
            .add(Sale.TELL_REDIS, sale, Sale::bindOutbox);
    return done(transaction.connection(), writing, sold, request.hold().toString());
  }

  private static ClaimOutcome done(
      Connection connection, Writing writing, HoldRecord hold, String id) throws SQLException {
    return isDoneOrUndone(connection, writing)
        ? new Done(hold, writing.versions(id))
        : new NotNow(new Superseded());
  }

  /// What was half written is taken back, and the caller's own rows stay.
  private static boolean isDoneOrUndone(Connection connection, Writing writing)
      throws SQLException {
    var before = connection.setSavepoint();
    var isDone = writing.isDone();
    if (!isDone) {
      connection.rollback(before);
    }
    return isDone;
  }
}
