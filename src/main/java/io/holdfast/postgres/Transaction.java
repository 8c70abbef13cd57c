package io.holdfast.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An open transaction. Its owner begins and ends it; everybody else only reads and writes in it,
/// with its connection or with repositories.
public record Transaction(Connection connection) {
  private static final ScopedValue<Transaction> CURRENT = ScopedValue.newInstance();

  /// What a repository would do with a connection of its own.
  private static final Set<String> LEFT_TO_THE_OWNER =
      Set.of("close", "commit", "rollback", "setAutoCommit", "setReadOnly");

  /// Runs `work` so that the repositories that it calls take part in this transaction.
  public <T, X extends Throwable> T call(ScopedValue.CallableOp<T, X> work) throws X {
    return ScopedValue.where(CURRENT, this).call(work);
  }

  static @Nullable Transaction current() {
    return CURRENT.isBound() ? CURRENT.get() : null;
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
