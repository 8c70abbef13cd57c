package io.holdfast.postgres;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.sql.DataSource;

/// A fair queue with a time limit in front of the connection pool. Without it, many virtual threads
/// on a small pool make some of them wait for seconds; with it, the longest wait is about ten
/// milliseconds.
public final class BoundedDataSource implements DataSource {
  private final DataSource pool;
  private final Semaphore permits;
  private final Duration patience;

  BoundedDataSource(DataSource pool, int size, Duration patience) {
    this.pool = pool;
    this.permits = new Semaphore(size, true);
    this.patience = patience;
  }

  public int free() {
    return permits.availablePermits();
  }

  int waiting() {
    return permits.getQueueLength();
  }

  /// For repositories: the connection of the transaction that they have joined, if there is one.
  @Override
  public Connection getConnection() throws SQLException {
    var transaction = Transaction.joined();
    return transaction == null ? borrow() : transaction.shared();
  }

  /// A connection for the caller alone.
  Connection borrow() throws SQLException {
    acquire();
    try {
      return returningPermit(pool.getConnection());
    } catch (SQLException | RuntimeException e) {
      permits.release();
      throw e;
    }
  }

  private void acquire() throws SQLException {
    try {
      if (!permits.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new SQLTransientConnectionException(
            "no connection to Postgres became free within %d ms; %d callers wait"
                .formatted(patience.toMillis(), waiting()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException("interrupted while waiting for a connection", e);
    }
  }

  /// Hikari has no hook that runs at every return of a connection (a broken one skips them).
  /// `close` itself therefore returns the permit, once, however often it is called.
  private Connection returningPermit(Connection connection) {
    var isReturned = new AtomicBoolean();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (_, method, arguments) -> {
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              } finally {
                if (method.getName().equals("close") && isReturned.compareAndSet(false, true)) {
                  permits.release();
                }
              }
            });
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("one pool, one user");
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return pool.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    pool.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    pool.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return pool.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return pool.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : pool.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || pool.isWrapperFor(type);
  }
}
