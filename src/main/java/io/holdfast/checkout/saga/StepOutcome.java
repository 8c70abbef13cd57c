package io.holdfast.checkout.saga;

import io.holdfast.postgres.Transaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// What a step of a saga, or what undoes one, can come to.
public sealed interface StepOutcome {

  /// @param detail for the records
  /// @param change what the run knows from now on
  /// @param afterwards once it is committed; whatever fails there, somebody else makes up for
  record Done(String detail, UnaryOperator<CheckoutRun> change, Runnable afterwards)
      implements StepOutcome {
    public Done(String detail) {
      this(detail, UnaryOperator.identity(), () -> {});
    }
  }

  /// No, for good: nothing was done.
  ///
  /// @param code the reason that a program acts on
  record Failed(String code, String why) implements StepOutcome {}

  /// It may have been done; the same call again tells.
  ///
  /// @param change what the run knows from now on
  record Unknown(String why, UnaryOperator<CheckoutRun> change) implements StepOutcome {
    public Unknown(String why) {
      this(why, UnaryOperator.identity());
    }
  }

  /// The answer comes later, by another way.
  ///
  /// @param change what the run knows from now on
  /// @param afterwards once that is committed
  record Pending(String why, UnaryOperator<CheckoutRun> change, Runnable afterwards)
      implements StepOutcome {
    public Pending(String why) {
      this(why, UnaryOperator.identity(), () -> {});
    }
  }

  /// What is left of it belongs into the transaction that stores how it ended.
  ///
  /// @param isYes whether it was done as far as anybody outside is concerned
  record InTransaction(Work work, boolean isYes) implements StepOutcome {
    public InTransaction(Work work) {
      this(work, true);
    }
  }

  /// Comes to one of the others, but not to `Open` again.
  @FunctionalInterface
  interface Work {
    StepOutcome in(Transaction transaction) throws SQLException;
  }

  /// Work that costs little more for many than for one.
  record Batchable<P>(BatchWork<P> crew, P part) implements Work {
    @Override
    public StepOutcome in(Transaction transaction) throws SQLException {
      return Objects.requireNonNull(crew.in(transaction, List.of(part), true).getFirst());
    }
  }

  /// Does its part of many runs.
  @FunctionalInterface
  interface BatchWork<P> {
    /// What each comes to, in their order; null for one that is in somebody's way.
    ///
    /// @param isAlone whether to wait for who is in the way, and to answer in any case
    List<@Nullable StepOutcome> in(Transaction transaction, List<P> parts, boolean isAlone)
        throws SQLException;
  }
}
