package io.holdfast.checkout.saga;

import io.holdfast.postgres.Transaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The result of a step of a saga, or of its undo.
public sealed interface StepOutcome {

  /// @param detail for the log of the run
  /// @param change to the stored run
  /// @param afterwards runs after the commit; if it fails, the outbox relay makes up for it
  record Done(String detail, UnaryOperator<CheckoutRun> change, Runnable afterwards)
      implements StepOutcome {
    public Done(String detail) {
      this(detail, UnaryOperator.identity(), () -> {});
    }
  }

  /// A definite refusal; nothing was done.
  ///
  /// @param code the reason for programs
  record Failed(String code, String why) implements StepOutcome {}

  /// It may have been done. The same call is made again to find out.
  ///
  /// @param change to the stored run
  record Unknown(String why, UnaryOperator<CheckoutRun> change) implements StepOutcome {
    public Unknown(String why) {
      this(why, UnaryOperator.identity());
    }
  }

  /// The result arrives later, as a notice.
  ///
  /// @param change to the stored run
  /// @param afterwards runs after the commit
  record Pending(String why, UnaryOperator<CheckoutRun> change, Runnable afterwards)
      implements StepOutcome {
    public Pending(String why) {
      this(why, UnaryOperator.identity(), () -> {});
    }
  }

  /// The rest of the step is done in the transaction that stores its result.
  ///
  /// @param isAccepted whether the outside accepted the step, so that the next one may follow
  record InTransaction(Work work, boolean isAccepted) implements StepOutcome {
    public InTransaction(Work work) {
      this(work, true);
    }
  }

  /// Returns any outcome but another `InTransaction`.
  @FunctionalInterface
  interface Work {
    StepOutcome in(Transaction transaction) throws SQLException;
  }

  /// Work that one batch does for many runs.
  ///
  /// @param input of this run
  record Batchable<P>(BatchWork<P> batch, P input) implements Work {
    @Override
    public StepOutcome in(Transaction transaction) throws SQLException {
      return Objects.requireNonNull(batch.in(transaction, List.of(input), true).getFirst());
    }
  }

  /// Does the same work for many runs.
  @FunctionalInterface
  interface BatchWork<P> {
    /// Returns an outcome for each input, in their order; null for one that meets a lock.
    ///
    /// @param isAlone whether to wait for locks and to return no null
    List<@Nullable StepOutcome> in(Transaction transaction, List<P> inputs, boolean isAlone)
        throws SQLException;
  }
}
