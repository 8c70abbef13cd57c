package io.holdfast.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An open transaction. Its owner begins and ends it; other code only reads and writes in it, with
/// its connection or with repositories.
public record Transaction(Connection connection) {
  private static final ScopedValue<Transaction> CURRENT = ScopedValue.newInstance();
  private static final ScopedValue<Transaction> JOINED = ScopedValue.newInstance();

  /// Methods that only the owner may use. A call of them by a repository has no effect.
  private static final Set<String> LEFT_TO_THE_OWNER =
      Set.of("close", "commit", "rollback", "setAutoCommit", "setReadOnly");

  /// Runs `work` so that each `PostgresRepository` that it calls takes part in this transaction.
  public <T, X extends Throwable> T call(ScopedValue.CallableOp<T, X> work) throws X {
    return ScopedValue.where(CURRENT, this).call(work);
  }

  /// Runs the method of a repository in the transaction of the caller. Other users of the data
  /// source are not affected: `EpochCounter` must commit at once, wherever it is called.
  static <T, X extends Throwable> T join(ScopedValue.CallableOp<T, X> method) throws X {
    return CURRENT.isBound()
        ? ScopedValue.where(JOINED, CURRENT.get()).call(method)
        : method.call();
  }

  /// The transaction that the running method of a repository has joined.
  static @Nullable Transaction joined() {
    return JOINED.isBound() ? JOINED.get() : null;
  }

  /// The connection without the methods that begin and end transactions.
  Connection shared() {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (_, method, arguments) -> {
              if (LEFT_TO_THE_OWNER.contains(method.getName())) {
                return null;
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
