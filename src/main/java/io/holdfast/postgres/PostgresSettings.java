package io.holdfast.postgres;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The address of Postgres, the number of connections, and all time limits. The server's limits end
/// a statement; the longer limit of the socket ends a connection without a response.
///
/// @param acquireTimeout how long a caller waits for a connection before it is refused
/// @param patience how long a start waits for a server that is still starting
public record PostgresSettings(
    String url,
    @Nullable String user,
    @Nullable String password,
    int poolSize,
    Duration acquireTimeout,
    Duration connectTimeout,
    Duration statementTimeout,
    Duration lockTimeout,
    Duration idleInTransactionTimeout,
    Duration socketTimeout,
    Duration patience) {

  private static final Duration SHORTEST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  public PostgresSettings {
    if (!url.startsWith("jdbc:postgresql:")) {
      throw new InvalidSetting("jdbc.url", "must start with jdbc:postgresql:", "something else");
    }
    if (url.replaceFirst("[?].*", "").contains("@")) {
      var rule = "must not name a user or a password before the host; set JDBC_USER, JDBC_PASSWORD";
      throw new InvalidSetting("jdbc.url", rule, "one that does");
    }
    InvalidSetting.unlessBetween("jdbc.pool-size", 1, 1_000, poolSize);
    InvalidSetting.unlessBetween("jdbc.acquire-timeout", SHORTEST, LONGEST, acquireTimeout);
    InvalidSetting.unlessBetween(
        "jdbc.connect-timeout", Duration.ofSeconds(1), LONGEST, connectTimeout);
    InvalidSetting.unlessBetween("jdbc.statement-timeout", SHORTEST, LONGEST, statementTimeout);
    InvalidSetting.unlessBetween("jdbc.lock-timeout", SHORTEST, statementTimeout, lockTimeout);
    InvalidSetting.unlessBetween(
        "jdbc.idle-in-transaction-timeout", SHORTEST, LONGEST, idleInTransactionTimeout);
    InvalidSetting.unlessBetween(
        "jdbc.socket-timeout",
        statementTimeout.plusSeconds(1),
        LONGEST.plusSeconds(30),
        socketTimeout);
    InvalidSetting.unlessBetween("jdbc.patience", Duration.ZERO, Duration.ofMinutes(10), patience);
  }

  static PostgresSettings of(Settings settings) {
    return new PostgresSettings(
        settings.text("jdbc.url").orElseThrow(),
        settings.text("jdbc.user").orElse(null),
        settings.text("jdbc.password").orElse(null),
        settings.number("jdbc.pool-size", 16),
        settings.duration("jdbc.acquire-timeout", Duration.ofSeconds(2)),
        settings.duration("jdbc.connect-timeout", Duration.ofSeconds(2)),
        settings.duration("jdbc.statement-timeout", Duration.ofSeconds(5)),
        settings.duration("jdbc.lock-timeout", Duration.ofSeconds(2)),
        settings.duration("jdbc.idle-in-transaction-timeout", Duration.ofSeconds(5)),
        settings.duration("jdbc.socket-timeout", Duration.ofSeconds(10)),
        settings.duration("jdbc.patience", Duration.ofSeconds(5)));
  }

  /// The URL without its parameters, which may contain a password.
  String address() {
    return url.replaceFirst("[?].*", "");
  }
}
