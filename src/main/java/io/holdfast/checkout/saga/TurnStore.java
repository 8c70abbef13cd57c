package io.holdfast.checkout.saga;

import io.holdfast.checkout.CheckoutSettings;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRunWriter.Change;
import io.holdfast.checkout.saga.StepOutcome.BatchWork;
import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BlockingBatcher;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Stores the results of turns, many in one transaction. The result of a turn is stored as a whole,
/// under the lease of its runner, or not at all.
public final class TurnStore {
  private static final int BATCH_MAX = 64;

  private final Transactions transactions;
  private final CheckoutSettings settings;
  private final EndListener onEnd;
  private final BlockingBatcher<TurnResult, Optional<RunTransition>> batcher;

  /// Writes what belongs into the transaction in which runs end.
  public interface EndListener {
    void ended(Connection connection, List<CheckoutRun> runs) throws SQLException;
  }

  /// The outcomes of the steps of one turn, not stored yet.
  record TurnResult(Saga saga, CheckoutRun run, List<Ended> steps) {
    TurnResult {
      steps = List.copyOf(steps);
    }

    /// The outcome of one step or of its undo.
    record Ended(int ordinal, StepOutcome outcome) {}

    /// Whether it can be stored in one transaction with others. Compensation is rare and is stored
    /// alone, and so is work that has no batch.
    boolean isBatchable() {
      return run.phase() == Phase.FORWARD
          && steps.stream()
              .map(Ended::outcome)
              .allMatch(
                  o -> !(o instanceof InTransaction(var work, _)) || work instanceof Batchable<?>);
    }
  }

  public TurnStore(Transactions transactions, CheckoutSettings settings, EndListener onEnd) {
    this.transactions = transactions;
    this.settings = settings;
    this.onEnd = onEnd;
    this.batcher =
        new BlockingBatcher<>(
            "turns", BatchPolicy.oneAtATime(BATCH_MAX), this::storeTogether, this::storeAlone);
  }

  /// Empty if another runner has the run by now.
  Optional<RunTransition> store(TurnResult turn) {
    return turn.isBatchable() ? batcher.call(turn) : storeAlone(turn);
  }

  private Optional<RunTransition> storeAlone(TurnResult turn) {
    return Optional.ofNullable(write(List.of(turn), true).get(turn));
  }

  /// A turn that meets a lock is left out, and the others are stored in a new transaction.
  private List<@Nullable Optional<RunTransition>> storeTogether(List<TurnResult> turns) {
    var batch = turns;
    var stored = write(batch, false);
    while (stored.size() < batch.size()) {
      batch = batch.stream().filter(stored::containsKey).toList();
      stored = batch.isEmpty() ? Map.of() : write(batch, false);
    }
    var results = new ArrayList<@Nullable Optional<RunTransition>>();
    for (var turn : turns) {
      var transition = stored.get(turn);
      results.add(transition == null ? null : Optional.of(transition));
    }
    return results;
  }

  private Map<TurnResult, RunTransition> write(List<TurnResult> turns, boolean isAlone) {
    return transactions.write(connection -> write(connection, turns, isAlone));
  }

  /// Returns the transition of each turn. If one is missing, that turn could not be stored, and the
  /// transaction is rolled back.
  private Map<TurnResult, RunTransition> write(
      Connection connection, List<TurnResult> turns, boolean isAlone) throws SQLException {
    var transitions = lock(connection, turns, isAlone);
    var going = turns;
    for (var rank = 0; !going.isEmpty() && transitions.size() == turns.size(); rank++) {
      going = applyStep(new Transaction(connection), transitions, going, rank, isAlone);
    }
    if (transitions.size() == turns.size()) {
      update(connection, transitions);
    } else {
      connection.rollback();
    }
    return transitions;
  }

  /// Locks the runs. Runs that another runner has by now are missing.
  private Map<TurnResult, RunTransition> lock(
      Connection connection, List<TurnResult> turns, boolean isAlone) throws SQLException {
    var runs = turns.stream().map(TurnResult::run).toList();
    var locked = CheckoutRunWriter.lock(connection, runs, isAlone);
    var transitions = new IdentityHashMap<TurnResult, RunTransition>();
    for (var turn : turns) {
      var now = locked.get(turn.run().id());
      if (now != null) {
        transitions.put(turn, new RunTransition(turn.saga(), settings, turn.run(), now));
      }
    }
    return transitions;
  }

  /// Applies the step of that rank in each turn. Returns the turns whose next step may follow.
  private static List<TurnResult> applyStep(
      Transaction tx,
      Map<TurnResult, RunTransition> transitions,
      List<TurnResult> going,
      int rank,
      boolean isAlone)
      throws SQLException {
    var turns = going.stream().filter(turn -> rank < turn.steps().size()).toList();
    var outcomes =
        resolve(tx, turns.stream().map(turn -> turn.steps().get(rank).outcome()).toList(), isAlone);
    var further = new ArrayList<TurnResult>();
    for (var i = 0; i < turns.size(); i++) {
      var turn = turns.get(i);
      if (outcomes[i] == null) {
        transitions.remove(turn);
      } else if (transitions.get(turn).apply(turn.steps().get(rank).ordinal(), outcomes[i])) {
        further.add(turn);
      }
    }
    return further;
  }

  /// Does the work that belongs into this transaction: work of the same batch at once for all runs.
  private static @Nullable StepOutcome[] resolve(
      Transaction tx, List<StepOutcome> outcomes, boolean isAlone) throws SQLException {
    var resolved = new @Nullable StepOutcome[outcomes.size()];
    Map<BatchWork<?>, List<Integer>> batches = new IdentityHashMap<>();
    for (var i = 0; i < resolved.length; i++) {
      switch (outcomes.get(i)) {
        case InTransaction(Batchable<?>(var batch, _), _) ->
            batches.computeIfAbsent(batch, _ -> new ArrayList<>()).add(i);
        case InTransaction(var work, _) -> resolved[i] = work.in(tx);
        case StepOutcome outcome -> resolved[i] = outcome;
      }
    }
    for (var batch : batches.entrySet()) {
      var indexes = batch.getValue();
      var inputs = indexes.stream().map(index -> input(outcomes.get(index))).toList();
      var results = runBatch(tx, batch.getKey(), inputs, isAlone);
      for (var i = 0; i < indexes.size(); i++) {
        resolved[indexes.get(i)] = results.get(i);
      }
    }
    return resolved;
  }

  private static Object input(StepOutcome outcome) {
    return outcome instanceof InTransaction(Batchable<?>(_, var input), _) ? input : outcome;
  }

  @SuppressWarnings("unchecked") // an input comes with the batch work that it was made for
  private static <P> List<@Nullable StepOutcome> runBatch(
      Transaction tx, BatchWork<P> batch, List<?> inputs, boolean isAlone) throws SQLException {
    return batch.in(tx, (List<P>) inputs, isAlone);
  }

  private void update(Connection connection, Map<TurnResult, RunTransition> transitions)
      throws SQLException {
    var changes = new ArrayList<Change>();
    var ended = new ArrayList<CheckoutRun>();
    transitions.forEach(
        (turn, transition) -> {
          transition.close();
          var after = transition.run();
          changes.add(
              new Change(
                  turn.run(), after, settings.lease(), transition.pause(), transition.entries()));
          if (after.hasEndedSince(turn.run())) {
            ended.add(after);
          }
        });
    if (!CheckoutRunWriter.update(connection, changes)) {
      throw new IllegalStateException("a locked run was not written completely");
    }
    if (!ended.isEmpty()) {
      onEnd.ended(connection, ended);
    }
  }
}
