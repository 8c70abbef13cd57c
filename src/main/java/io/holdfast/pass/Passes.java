package io.holdfast.pass;

import io.holdfast.pool.PoolName;
import io.holdfast.pool.TicketId;
import io.holdfast.stream.IdKeys;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Issues and checks passes. A pass is bound to a pool, a caller, a requester and a ticket, and it
/// has an end: `<key>.<pool>.<number>.<until>.<signature>`, with the number of the ticket and the
/// time in seconds in base 36. Whether it has ended or was revoked is decided by the script that
/// uses it, by Redis' clock. The same keys seal the ids of tickets.
@Singleton
public final class Passes {
  public static final String HEADER = "Waiting-Room-Pass";

  /// What scripts take instead of a pass that is missing or not signed for this call.
  private static final String NO_PASS = "-";

  private static final int RADIX = 36;
  private static final Pattern WIRE =
      Pattern.compile(
          "([0-9]{1,6})\\.([A-Za-z0-9._-]{1,64})\\.([1-9a-z][0-9a-z]{0,10})\\.([1-9a-z][0-9a-z]{0,9})"
              + "\\.([A-Za-z0-9_-]{22})");
  private static final Pattern SEAL = Pattern.compile("([0-9]{1,6})\\.([A-Za-z0-9_-]{22})");

  private final Signer passes;
  private final Signer seals;

  public Passes(IdKeys keys) {
    this.passes = new Signer(keys, "holdfast waiting room pass 1");
    this.seals = new Signer(keys, "holdfast waiting room ticket 1");
  }

  public String issue(PoolName pool, long number, Instant until, String caller, String requester) {
    var version = Integer.toString(passes.currentVersion());
    var ticket = Long.toString(number, RADIX);
    var end = Long.toString(until.getEpochSecond(), RADIX);
    var signature = passes.sign(version, pool.value(), ticket, end, caller, requester);
    return String.join(".", version, pool.value(), ticket, end, signature);
  }

  /// Returns the pass in the form that scripts take: the number of the ticket and the end of the
  /// pass, or that there is none.
  public String check(@Nullable String pass, PoolName pool, String caller, String requester) {
    var found = pass == null ? null : WIRE.matcher(pass);
    if (found == null || !found.matches() || !found.group(2).equals(pool.value())) {
      return NO_PASS;
    }
    var isSigned =
        passes.isSigned(
            found.group(1),
            found.group(5),
            found.group(1),
            pool.value(),
            found.group(3),
            found.group(4),
            caller,
            requester);
    return isSigned ? number(found.group(3)) + " " + number(found.group(4)) : NO_PASS;
  }

  /// The seal of a ticket, see `TicketId`.
  public String seal(PoolName pool, String caller, String requester) {
    return seals.currentVersion() + "." + seals.sign(pool.value(), caller, requester);
  }

  /// Whether the ticket was issued to this caller.
  public boolean isSealed(TicketId ticket, String caller) {
    var found = SEAL.matcher(ticket.seal());
    return found.matches()
        && seals.isSigned(
            found.group(1), found.group(2), ticket.pool().value(), caller, ticket.requester());
  }

  private static long number(String base36) {
    return Long.parseLong(base36, RADIX);
  }
}
