package io.holdfast.pass;

import io.holdfast.pool.PoolName;
import io.holdfast.stream.IdKeys;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/// Issues and checks stream tickets. A ticket opens the stream of one pool for about a minute, on
/// every instance, and nothing else: `<key>.<pool>.<until>.<signature>`, with the time in seconds
/// in base 36. Nothing is stored, so it cannot be revoked. A stream that it has opened goes on.
@Singleton
public final class StreamTickets {
  private static final Duration VALIDITY = Duration.ofMinutes(1);
  private static final int RADIX = 36;
  private static final Pattern WIRE =
      Pattern.compile(
          "([0-9]{1,6})\\.([A-Za-z0-9._-]{1,64})\\.([1-9a-z][0-9a-z]{0,9})\\.([A-Za-z0-9_-]{22})");

  private final Signer signer;
  private final Clock clock;

  public StreamTickets(IdKeys keys, Clock clock) {
    this.signer = new Signer(keys, "holdfast stream ticket 1");
    this.clock = clock;
  }

  /// A signed ticket and its end, in whole seconds.
  public record Issued(String ticket, Instant expiresAt) {}

  public Issued issue(PoolName pool) {
    var until = clock.instant().plus(VALIDITY).getEpochSecond();
    var version = Integer.toString(signer.currentVersion());
    var end = Long.toString(until, RADIX);
    var signature = signer.sign(version, pool.value(), end);
    return new Issued(
        String.join(".", version, pool.value(), end, signature), Instant.ofEpochSecond(until));
  }

  /// Whether the ticket opens the stream of this pool now.
  public boolean isValid(String ticket, String pool) {
    var found = WIRE.matcher(ticket);
    return found.matches()
        && found.group(2).equals(pool)
        && signer.isSigned(found.group(1), found.group(4), found.group(1), pool, found.group(3))
        && clock.instant().getEpochSecond() < Long.parseLong(found.group(3), RADIX);
  }
}
