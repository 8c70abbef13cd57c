package io.holdfast.faults;

import io.holdfast.faults.Moment.Way;
import io.holdfast.faults.Moment.When;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// One case of the matrix.
///
/// @param retries whether the client retries with its token until it knows the final state
record KillCase(Moment moment, Victim victim, boolean retries) {

  enum Victim {
    SERVICE,
    REDIS,
    POSTGRES,
    /// Both instances and both servers, as in a power cut.
    ALL,
    /// The runner pauses until another one has taken over its checkout, and then continues.
    NOBODY
  }

  private static final List<Victim> SINGLE = List.of(Victim.SERVICE, Victim.REDIS, Victim.POSTGRES);

  private static final List<String> STEPS =
      List.of("claim", "authorise", "commit", "capture", "fulfil");

  /// The payment method that makes a checkout undo the step.
  private static final Map<String, String> UNDONE_BY =
      Map.of(
          "claim", "decline",
          "authorise", "fail-capture",
          "commit", "fail-fulfil",
          "capture", "fail-fulfil");

  /// Every step and every compensation at every moment with each single victim, and every step also
  /// with a client that is gone. Victims alternate, so that each has time to recover.
  static List<KillCase> all() {
    var all = new ArrayList<KillCase>();
    for (var moment : moments()) {
      victims(moment).forEach(victim -> all.add(new KillCase(moment, victim, true)));
      if (moment.way() == Way.ACT) {
        SINGLE.forEach(victim -> all.add(new KillCase(moment, victim, false)));
      }
    }
    return all;
  }

  /// Recovery from a power cut takes long, so there is one in each step. A runner can be overtaken
  /// only while it holds no locks.
  private static List<Victim> victims(Moment moment) {
    return switch (moment.when()) {
      case BEFORE -> Stream.concat(SINGLE.stream(), Stream.of(Victim.NOBODY)).toList();
      case CALLED -> List.of(Victim.values());
      case WRITTEN, STORED -> SINGLE;
    };
  }

  /// Each single victim, forward and backward, with both kinds of client.
  static List<KillCase> slice() {
    return List.of(
        of(Way.ACT, "authorise", When.CALLED, Victim.SERVICE, true),
        of(Way.ACT, "commit", When.WRITTEN, Victim.POSTGRES, false),
        of(Way.ACT, "fulfil", When.STORED, Victim.REDIS, false),
        of(Way.UNDO, "capture", When.CALLED, Victim.SERVICE, true),
        of(Way.UNDO, "claim", When.STORED, Victim.SERVICE, true));
  }

  private static KillCase of(Way way, String step, When when, Victim victim, boolean retries) {
    return new KillCase(new Moment(way, step, when), victim, retries);
  }

  private static List<Moment> moments() {
    return Stream.of(Way.values())
        .flatMap(
            way ->
                STEPS.stream()
                    .filter(step -> way == Way.ACT || UNDONE_BY.containsKey(step))
                    .flatMap(
                        step -> Stream.of(When.values()).map(when -> new Moment(way, step, when))))
        .toList();
  }

  String method() {
    return moment.way() == Way.ACT ? "ok" : UNDONE_BY.get(moment.step());
  }

  @Override
  public String toString() {
    return "%-25s %-8s %s".formatted(moment, victim, retries ? "client retries" : "client is gone");
  }
}
