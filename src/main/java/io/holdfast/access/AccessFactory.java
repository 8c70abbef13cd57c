package io.holdfast.access;

import io.holdfast.access.jwt.JwtSettings;
import io.holdfast.config.Settings;
import io.holdfast.idempotency.guard.DuplicateGuard;
import io.holdfast.idempotency.guard.GuardRules;
import io.holdfast.idempotency.guard.InMemoryGuardStore;
import io.holdfast.idempotency.guard.Matching;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;

@Factory
final class AccessFactory {
  static final String UNKNOWN_KEYS = "unknown-keys";

  /// How long a key that was not found counts as unknown without another query.
  private static final Duration UNKNOWN_FOR = Duration.ofSeconds(1);

  private static final int UNKNOWN_MAX = 10_000;

  @Context
  AccessSettings accessSettings(Settings settings) {
    return AccessSettings.of(settings);
  }

  /// Created at the start, so that a wrong setting stops it.
  @Context
  JwtSettings jwtSettings(Settings settings) {
    return JwtSettings.of(settings);
  }

  @Singleton
  SecureRandom secrets() {
    return new SecureRandom();
  }

  /// The one clock of this process. The time of a server is read from that server.
  @Singleton
  Clock clock() {
    return Clock.systemUTC();
  }

  /// Only saves queries: while it is unavailable, more of them are sent.
  @Singleton
  @Named(UNKNOWN_KEYS)
  DuplicateGuard unknownKeys(Clock clock) {
    var rules = GuardRules.of(UNKNOWN_KEYS, UNKNOWN_FOR).matching(Matching.HASHED).openWhenAway();
    return new DuplicateGuard(
        rules, new InMemoryGuardStore(UNKNOWN_MAX), new MonotonicClock(clock));
  }

  /// Only limits how often the identity provider is asked for its keys.
  @Singleton
  @Named(JwtSettings.READS_GUARD)
  DuplicateGuard jwksReads(JwtSettings settings, Clock clock) {
    var rules = GuardRules.of(JwtSettings.READS_GUARD, settings.look()).openWhenAway();
    return new DuplicateGuard(rules, new InMemoryGuardStore(1), new MonotonicClock(clock));
  }
}
