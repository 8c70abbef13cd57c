package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The pool of the scripts' examples: what is in Redis of it, as commands that put it there.
final class Arena {
  static final String OURS = "a".repeat(40);
  static final String THEIRS = "b".repeat(40);
  static final String META = key("meta");
  static final String JOURNAL = key("journal");
  static final String DUE = key("due");
  static final String COUNTED = key("counted");
  static final String EPOCH = "7";

  /// How the fields of meta are asked for that tell of items, and of requesters.
  static final String ITEMS = "FIELDS %s item:".formatted(META);

  static final String REQUESTERS = "FIELDS %s who:".formatted(META);

  private final List<String> commands = new ArrayList<>();

  private Arena(String state, String runId, String epoch, long seq) {
    commands.add(
        "HSET %s state %s kind SEATS epoch %s seq %d version 20 held 0 run_id %s"
            .formatted(META, state, epoch, seq, runId));
    commands.add("HSET %s item:A-1 0 item:A-2 0 item:A-3 5 item:A-4 0".formatted(META));
  }

  static Arena open() {
    return open(EPOCH, 12);
  }

  static Arena open(String epoch, long seq) {
    return new Arena("OPEN", OURS, epoch, seq);
  }

  static Arena seeding() {
    return new Arena("SEEDING", OURS, EPOCH, 0);
  }

  static Arena elsewhere() {
    return new Arena("OPEN", THEIRS, EPOCH, 12);
  }

  static String key(String suffix) {
    return "{p:arena}:" + suffix;
  }

  static String item(String name) {
    return key("item:" + name);
  }

  static String token(String value) {
    return key("tok:shop:" + value);
  }

  /// The fence with this number in the epoch of the examples.
  static long fence(int number) {
    return (7L << 32) + number;
  }

  /// How a number of meta is asked for.
  static String count(String field) {
    return "HGET %s %s".formatted(META, field);
  }

  Arena with(AHold... holds) {
    Stream.of(holds).flatMap(AHold::commands).forEach(commands::add);
    return this;
  }

  Arena having(String... more) {
    commands.addAll(List.of(more));
    return this;
  }

  String[] commands() {
    return commands.toArray(String[]::new);
  }
}
