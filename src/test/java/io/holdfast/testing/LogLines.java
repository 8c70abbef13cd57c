package io.holdfast.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/// What is logged as a warning or an error while this is open.
public final class LogLines implements AutoCloseable {
  private final Logger logger;
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  private LogLines(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    appender.list = new CopyOnWriteArrayList<>();
    appender.start();
    logger.addAppender(appender);
  }

  /// Of all classes.
  public static LogLines ofAll() {
    return new LogLines(Logger.ROOT_LOGGER_NAME);
  }

  public static LogLines of(Class<?> type) {
    return new LogLines(type.getName());
  }

  public List<String> warnings() {
    return appender.list.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /// Whether a warning has a stack trace.
  public boolean hasStackTrace() {
    return appender.list.stream().anyMatch(event -> event.getThrowableProxy() != null);
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
  }
}
