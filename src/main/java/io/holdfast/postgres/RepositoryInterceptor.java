package io.holdfast.postgres;

import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/// Runs the methods of a `PostgresRepository` in the caller's transaction, and turns their failures
/// into `PostgresUnavailable`. That is always definite: without a transaction these repositories
/// only read, and in a transaction nothing is changed before COMMIT, which its owner sends.
@Singleton
final class RepositoryInterceptor implements MethodInterceptor<Object, Object> {

  @Override
  public @Nullable Object intercept(MethodInvocationContext<Object, Object> context) {
    try {
      return Transaction.join(context::proceed);
    } catch (RuntimeException e) {
      var cause = sqlExceptionIn(e);
      throw cause == null ? e : PostgresUnavailable.nothingChanged(cause);
    }
  }

  private static @Nullable SQLException sqlExceptionIn(Throwable failure) {
    for (var cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }
}
