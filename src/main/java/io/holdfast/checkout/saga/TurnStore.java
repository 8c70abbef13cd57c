package io.holdfast.checkout.saga;

import io.holdfast.checkout.CheckoutSettings;
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

/// Stores how turns ended, many in one transaction. A turn is stored whole, at the lease that its
/// runner has, or not at all.
public final class TurnStore {
  private static final int BATCH_MAX = 64;

  private final Transactions transactions;
  private final CheckoutSettings settings;
  private final Ending ending;
  private final BlockingBatcher<TurnResult, Optional<RunTransition>> batcher;

  /// What belongs into the transaction in which runs come to their end.
  public interface Ending {
    void of(Connection connection, List<CheckoutRun> runs) throws SQLException;
  }

  public TurnStore(Transactions transactions, CheckoutSettings settings, Ending ending) {
    this.transactions = transactions;
    this.settings = settings;
    this.ending = ending;
    this.batcher =
        new BlockingBatcher<>(
            "turns", BatchPolicy.oneAtATime(BATCH_MAX), this::storeTogether, this::storeAlone);
  }

  /// Empty if another runner has the run by now.
  Optional<RunTransition> store(TurnResult turn) {
    return turn.isBatchable() ? batcher.call(turn) : storeAlone(turn);
  }

  private Optional<RunTransition> storeAlone(TurnResult turn) {
    return Optional.ofNullable(stored(List.of(turn), true).get(turn));
  }

  /// A turn that meets a lock is left out, and the others are stored in a new transaction.
  private List<@Nullable Optional<RunTransition>> storeTogether(List<TurnResult> turns) {
    var batch = turns;
    var stored = stored(batch, false);
    while (stored.size() < batch.size()) {
      batch = batch.stream().filter(stored::containsKey).toList();
      stored = batch.isEmpty() ? Map.of() : stored(batch, false);
    }
    var results = new ArrayList<@Nullable Optional<RunTransition>>();
    for (var turn : turns) {
      var transition = stored.get(turn);
      results.add(transition == null ? null : Optional.of(transition));
    }
    return results;
  }

  private Map<TurnResult, RunTransition> stored(List<TurnResult> turns, boolean isAlone) {
    return transactions.write(connection -> stored(connection, turns, isAlone));
  }

  /// The progress of each. If one is missing, it could not be stored, and nobody is.
  private Map<TurnResult, RunTransition> stored(
      Connection connection, List<TurnResult> turns, boolean isAlone) throws SQLException {
    var progresses = locked(connection, turns, isAlone);
    var going = turns;
    for (var rank = 0; !going.isEmpty() && progresses.size() == turns.size(); rank++) {
      going = applied(new Transaction(connection), progresses, going, rank, isAlone);
    }
    if (progresses.size() == turns.size()) {
      write(connection, progresses);
    } else {
      connection.rollback();
    }
    return progresses;
  }

  private Map<TurnResult, RunTransition> locked(
      Connection connection, List<TurnResult> turns, boolean isAlone) throws SQLException {
    var runs = turns.stream().map(TurnResult::run).toList();
    var locked = CheckoutRunWriter.lock(connection, runs, isAlone);
    var progresses = new IdentityHashMap<TurnResult, RunTransition>();
    for (var turn : turns) {
      var now = locked.get(turn.run().id());
      if (now != null) {
        progresses.put(turn, new RunTransition(turn.saga(), settings, turn.run(), now));
      }
    }
    return progresses;
  }

  /// The steps of that rank in their turns. Returns the turns whose next step may be looked at.
  private static List<TurnResult> applied(
      Transaction tx,
      Map<TurnResult, RunTransition> progresses,
      List<TurnResult> going,
      int rank,
      boolean isAlone)
      throws SQLException {
    var turns = going.stream().filter(turn -> rank < turn.steps().size()).toList();
    var outcomes =
        settled(tx, turns.stream().map(turn -> turn.steps().get(rank).outcome()).toList(), isAlone);
    var further = new ArrayList<TurnResult>();
    for (var i = 0; i < turns.size(); i++) {
      var turn = turns.get(i);
      if (outcomes[i] == null) {
        progresses.remove(turn);
      } else if (progresses.get(turn).takes(turn.steps().get(rank).ordinal(), outcomes[i])) {
        further.add(turn);
      }
    }
    return further;
  }

  private static @Nullable StepOutcome[] settled(
      Transaction tx, List<StepOutcome> outcomes, boolean isAlone) throws SQLException {
    var settled = new @Nullable StepOutcome[outcomes.size()];
    Map<BatchWork<?>, List<Integer>> crews = new IdentityHashMap<>();
    for (var i = 0; i < settled.length; i++) {
      switch (outcomes.get(i)) {
        case InTransaction(Batchable<?>(var crew, _), _) ->
            crews.computeIfAbsent(crew, _ -> new ArrayList<>()).add(i);
        case InTransaction(var work, _) -> settled[i] = work.in(tx);
        case StepOutcome end -> settled[i] = end;
      }
    }
    for (var crew : crews.entrySet()) {
      var places = crew.getValue();
      var parts = places.stream().map(place -> part(outcomes.get(place))).toList();
      var results = work(tx, crew.getKey(), parts, isAlone);
      for (var i = 0; i < places.size(); i++) {
        settled[places.get(i)] = results.get(i);
      }
    }
    return settled;
  }

  private static Object part(StepOutcome outcome) {
    return outcome instanceof InTransaction(Batchable<?>(_, var part), _) ? part : outcome;
  }

  @SuppressWarnings("unchecked") // a part comes with the crew that it was made for
  private static <P> List<@Nullable StepOutcome> work(
      Transaction tx, BatchWork<P> crew, List<?> parts, boolean isAlone) throws SQLException {
    return crew.in(tx, (List<P>) parts, isAlone);
  }

  private void write(Connection connection, Map<TurnResult, RunTransition> progresses)
      throws SQLException {
    var changes = new ArrayList<Change>();
    var ended = new ArrayList<CheckoutRun>();
    progresses.forEach(
        (turn, progress) -> {
          progress.close();
          var after = progress.run();
          changes.add(
              new Change(
                  turn.run(), after, settings.lease(), progress.pause(), progress.entries()));
          if (after.phase().isEnd()) {
            ended.add(after);
          }
        });
    if (!CheckoutRunWriter.update(connection, changes)) {
      throw new IllegalStateException("a run that is locked was not written whole");
    }
    if (!ended.isEmpty()) {
      ending.of(connection, ended);
    }
  }
}
