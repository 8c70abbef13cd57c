package io.holdfast.onsale;

import io.holdfast.onsale.Visitor.Behaviour;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Who comes when and does what: a pure function of the seed and the size.
///
/// @param visitors in the order of their numbers, not of their arrivals
record OnSalePlan(long seed, Size size, List<Visitor> visitors) {

  /// @param rush the time in which everybody arrives, most of them at its beginning
  /// @param maxInside of the waiting room
  /// @param grace of the waiting room
  /// @param end of the simulation at the latest, after the opening
  record Size(int people, int seats, Duration rush, int maxInside, Duration grace, Duration end) {
    static final Size FULL =
        new Size(
            20_000,
            2_000,
            Duration.ofSeconds(20),
            500,
            Duration.ofSeconds(60),
            Duration.ofMinutes(5));

    static final Size SMALL =
        new Size(400, 40, Duration.ofSeconds(1), 30, Duration.ofSeconds(6), Duration.ofSeconds(90));
  }

  private static final int BOTS = 10;
  private static final int LEAVERS = 8;
  private static final int ABSENTEES = 4;
  private static final int DROPPERS = 8;
  private static final int PAYERS = 20;
  private static final int PERCENT = 100;

  /// Of those who want seats, every third wants two.
  private static final int PAIRS = 3;

  private static final int THINKING_MS_MIN = 200;
  private static final int THINKING_MS_MAX = 1_500;

  static OnSalePlan of(long seed, Size size) {
    var random = new SplittableRandom(seed);
    var visitors =
        IntStream.range(0, size.people()).mapToObj(i -> visitor(i, size, random)).toList();
    return new OnSalePlan(seed, size, visitors);
  }

  private static Visitor visitor(int number, Size size, SplittableRandom random) {
    var share = random.nextDouble();
    return new Visitor(
        number,
        ms((long) (share * share * size.rush().toMillis())),
        behaviour(random.nextInt(PERCENT)),
        ms(random.nextLong(size.grace().toMillis())),
        ms(random.nextLong(THINKING_MS_MIN, THINKING_MS_MAX)),
        random.nextInt(PAIRS) == 0 ? 2 : 1);
  }

  private static Behaviour behaviour(int percent) {
    var left = percent - BOTS;
    if (left < 0) {
      return Behaviour.BOT;
    }
    left -= LEAVERS;
    if (left < 0) {
      return Behaviour.LEAVER;
    }
    left -= ABSENTEES;
    if (left < 0) {
      return Behaviour.ABSENTEE;
    }
    left -= DROPPERS;
    if (left < 0) {
      return Behaviour.DROPPER;
    }
    return left < PAYERS ? Behaviour.PAYER : Behaviour.CONFIRMER;
  }

  private static Duration ms(long ms) {
    return Duration.ofMillis(ms);
  }

  long count(Behaviour behaviour) {
    return visitors.stream().filter(visitor -> visitor.behaviour() == behaviour).count();
  }

  /// SHA-256 of all that is planned.
  String digest() {
    var text = visitors.stream().map(Visitor::toString).collect(Collectors.joining("\n"));
    try {
      var sha256 = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha256.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
