package io.holdfast.postgres;

import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/// Turns the exceptions of repositories into `PostgresUnavailable`. It is always definite: outside
/// of a transaction repositories only read, and inside of one nothing counts before its COMMIT,
/// which is not sent by a repository.
@Singleton
final class RepositoryFailures implements MethodInterceptor<Object, Object> {

  @Override
  public @Nullable Object intercept(MethodInvocationContext<Object, Object> context) {
    try {
      return context.proceed();
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
