package io.holdfast.pool;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The rules of a pool's waiting room. Refuses invalid values with a sentence that begins with the
/// field of the API.
///
/// @param admissionsPerMinute 0 for no admission by time
/// @param maxInside how many admitted requesters may choose and pay at once; 0 for no limit
/// @param grace how long a ticket keeps its place without a sign of life
/// @param pass how long an admitted requester may place holds
/// @param opensAt before it nobody is admitted; null if the room is open from the start
public record WaitingRoom(
    int admissionsPerMinute,
    int maxInside,
    Duration grace,
    Duration pass,
    Order order,
    @Nullable Instant opensAt) {

  /// How the tickets that joined before the opening are ordered. Later ones are always first come,
  /// first served.
  public enum Order {
    FIFO,
    RAFFLE
  }

  private static final int ADMISSIONS_MAX = 1_000_000;
  private static final int INSIDE_MAX = 1_000_000;
  private static final long SECONDS_MAX = Duration.ofDays(1).toSeconds();
  private static final Duration GRACE = Duration.ofMinutes(2);
  private static final Duration PASS = Duration.ofMinutes(5);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  public WaitingRoom {
    unlessBetween("admissionsPerMinute", 0, ADMISSIONS_MAX, admissionsPerMinute);
    unlessBetween("maxInside", 0, INSIDE_MAX, maxInside);
    unlessBetween("graceSeconds", 1, SECONDS_MAX, grace.toSeconds());
    unlessBetween("passSeconds", 1, SECONDS_MAX, pass.toSeconds());
    if (order == Order.RAFFLE && opensAt == null) {
      throw new IllegalArgumentException("opensAt is missing, a raffle is drawn at the opening");
    }
  }

  /// The values of a request or of a stored policy; null for the default.
  public record Fields(
      @Nullable Integer admissionsPerMinute,
      @Nullable Integer maxInside,
      @Nullable Long graceSeconds,
      @Nullable Long passSeconds,
      @Nullable String order,
      @Nullable Instant opensAt) {

    public static final Fields NONE = new Fields(null, null, null, null, null, null);

    Fields over(Fields base) {
      return new Fields(
          PoolPolicy.either(admissionsPerMinute, base.admissionsPerMinute),
          PoolPolicy.either(maxInside, base.maxInside),
          PoolPolicy.either(graceSeconds, base.graceSeconds),
          PoolPolicy.either(passSeconds, base.passSeconds),
          PoolPolicy.either(order, base.order),
          PoolPolicy.either(opensAt, base.opensAt));
    }

    /// Null without a waiting room; fields are refused then.
    public @Nullable WaitingRoom room(boolean isWanted) {
      if (isWanted) {
        return new WaitingRoom(
            or(admissionsPerMinute, 0),
            or(maxInside, 0),
            graceSeconds == null ? GRACE : Duration.ofSeconds(graceSeconds),
            passSeconds == null ? PASS : Duration.ofSeconds(passSeconds),
            order == null ? Order.FIFO : Order.valueOf(order),
            opensAt);
      }
      refuse("admissionsPerMinute", admissionsPerMinute);
      refuse("maxInside", maxInside);
      refuse("graceSeconds", graceSeconds);
      refuse("passSeconds", passSeconds);
      refuse("order", order);
      refuse("opensAt", opensAt);
      return null;
    }
  }

  /// Whether tickets are admitted without a call of an operator.
  public boolean isAutomatic() {
    return admissionsPerMinute > 0 || maxInside > 0;
  }

  /// The time between two admissions; null if the policy has none.
  public @Nullable Duration pace() {
    return admissionsPerMinute == 0 ? null : MINUTE.dividedBy(admissionsPerMinute);
  }

  private static int or(@Nullable Integer given, int otherwise) {
    return given == null ? otherwise : given;
  }

  private static void refuse(String field, @Nullable Object value) {
    if (value != null) {
      throw new IllegalArgumentException(field + " is allowed with waitingRoom only");
    }
  }

  private static void unlessBetween(String field, long least, long most, long value) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must lie between %d and %d, was %d".formatted(field, least, most, value));
    }
  }
}
