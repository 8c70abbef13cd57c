package io.holdfast.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.holdfast.config.InvalidSetting;
import java.util.List;

/// Logs to standard output as text, or as JSON with `HOLDFAST_LOG=json`. A line has the trace id of
/// its request. It is configured in Java, because reading XML would slow every start down.
public final class LogSetup extends ContextAwareBase implements Configurator {
  private static final String HUMAN =
      "%d{HH:mm:ss.SSS} %-5level %msg%replace( [%X{traceId}]){' \\[\\]', ''}%n";

  /// Libraries that log what the service logs itself in one plain line: a lost connection to
  /// Postgres or Redis (`ReadinessIndicator`), a port in use (`StartupErrors`); and a warning that
  /// Postgres is newer than Flyway, which is intended.
  private static final List<String> LOGGED_BY_US =
      List.of(
          "com.zaxxer.hikari.pool.ProxyConnection",
          "io.lettuce.core.cluster.topology.DefaultClusterTopologyRefresh",
          "io.lettuce.core.protocol.ConnectionWatchdog",
          "io.micronaut.http.server.netty.NettyHttpServer",
          "org.flywaydb.core.internal.database.base.Database");

  /// Does not log through Logback. The reference keeps it from being collected with its level.
  private static final java.util.logging.Logger POSTGRES_DRIVER =
      java.util.logging.Logger.getLogger("org.postgresql");

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    var appender = new ConsoleAppender<ILoggingEvent>();
    appender.setContext(context);
    appender.setEncoder(started(context));
    appender.start();
    var root = context.getLogger("ROOT");
    root.setLevel(Level.WARN);
    root.addAppender(appender);
    context.getLogger("io.holdfast").setLevel(level());
    POSTGRES_DRIVER.setLevel(java.util.logging.Level.OFF);
    LOGGED_BY_US.forEach(name -> context.getLogger(name).setLevel(Level.OFF));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static Encoder<ILoggingEvent> started(LoggerContext context) {
    var encoder = isJson() ? json() : human();
    encoder.setContext(context);
    encoder.start();
    return encoder;
  }

  private static Encoder<ILoggingEvent> human() {
    var encoder = new PatternLayoutEncoder();
    encoder.setPattern(HUMAN);
    return encoder;
  }

  private static Encoder<ILoggingEvent> json() {
    var encoder = new JsonEncoder();
    encoder.setWithArguments(false);
    encoder.setWithContext(false);
    encoder.setWithSequenceNumber(false);
    encoder.setWithNanoseconds(false);
    encoder.setWithFormattedMessage(true);
    encoder.setWithMessage(false);
    return encoder;
  }

  private static boolean isJson() {
    return "json".equals(setting("holdfast.log", "human"));
  }

  private static Level level() {
    return Level.toLevel(setting("holdfast.log-level", "info"), Level.INFO);
  }

  /// The log is configured before the settings, so it reads their two sources itself.
  private static String setting(String name, String otherwise) {
    var fromEnvironment = System.getenv(InvalidSetting.environmentName(name));
    return System.getProperty(name, fromEnvironment == null ? otherwise : fromEnvironment);
  }
}
