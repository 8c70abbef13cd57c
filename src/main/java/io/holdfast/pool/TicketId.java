package io.holdfast.pool;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/// Identifies one ticket of a waiting room. It carries all that is needed to issue the ticket again
/// if Redis was lost before the ticket reached Postgres. It is opaque to clients.
///
/// @param seal a signature of pool, caller and requester. The number is not in it, because Redis
///   gives the number after the seal was made; a ticket with another number is known nowhere.
public record TicketId(PoolName pool, long number, String requester, String seal) {
  private static final int RADIX = 36;
  private static final int REQUESTER_MAX = 128;
  private static final Pattern WIRE =
      Pattern.compile(
          "([A-Za-z0-9._-]{1,64})~([1-9a-z][0-9a-z]{0,10})~([A-Za-z0-9_-]{2,172})"
              + "~([0-9]{1,6}\\.[A-Za-z0-9_-]{22})");

  /// Returns empty for a text that is not the id of a possible ticket.
  public static Optional<TicketId> parse(String wire) {
    var matcher = WIRE.matcher(wire);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      var number = new Fence(Long.parseLong(matcher.group(2), RADIX)).value();
      var bytes = Base64.getUrlDecoder().decode(matcher.group(3));
      var requester = new String(bytes, StandardCharsets.UTF_8);
      var id = new TicketId(new PoolName(matcher.group(1)), number, requester, matcher.group(4));
      var isOwnForm = bytes.length <= REQUESTER_MAX && id.toString().equals(wire);
      return isOwnForm ? Optional.of(id) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // out of the range of numbers, or not in base 64
    }
  }

  /// The form in the API.
  @Override
  public String toString() {
    var name = requester.getBytes(StandardCharsets.UTF_8);
    return pool
        + "~"
        + Long.toString(number, RADIX)
        + "~"
        + Base64.getUrlEncoder().withoutPadding().encodeToString(name)
        + "~"
        + seal;
  }
}
