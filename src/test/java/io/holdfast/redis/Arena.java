package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The pool of the scripts' examples: what is in Redis of it, as commands that put it there, and
/// the commands that ask for it.
final class Arena {
  static final String OURS = "a".repeat(40);
  static final String THEIRS = "b".repeat(40);
  static final String META = key("meta");
  static final String JOURNAL = key("journal");
  static final String HOLDS = key("holds");
  static final String DUE = key("due");
  static final String COUNTED = key("counted");
  static final String FREED = key("freed");
  static final String BIDS = key("bids");
  static final String EPOCH = "7";

  /// How long tokens are kept here.
  static final long WINDOW_MS = 3_600_000;

  /// What no call has caused has these in front of its word in the journal.
  static final String UNCAUSED = "\t".repeat(5);

  /// How the fields of meta are asked for that tell of items, and of requesters.
  static final String ITEMS = "FIELDS %s item:".formatted(META);

  /// The hash of u1 of the shop, as pools with a limit of items name their requesters.
  static final String U1 = "0d6102383d171f280cf72a57ec030364da56228b";

  /// How is asked for what requesters have, in a pool with a limit of items.
  static final String OWN = "FIELDS %s own:".formatted(META);

  static final String REQUESTERS = "FIELDS %s who:".formatted(META);

  /// How the entries of the journal are asked for.
  static final String ENTRIES = "XRANGE %s - +".formatted(JOURNAL);

  private static final int LINES = 40;

  private final List<String> commands = new ArrayList<>();

  private Arena(String state, String runId, String epoch, long seq) {
    commands.add(
        "HSET %s state %s kind SEATS epoch %s seq %d version 20 held 0 sold 0 lines %d run_id %s"
            .formatted(META, state, epoch, seq, LINES, runId));
    commands.add("HSET %s window %d".formatted(META, WINDOW_MS));
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

  /// A pool of units that is open.
  ///
  /// @param entry version, sold units and capacity, as in "4 2/10"
  static Arena stock(String entry) {
    return open().stocked(entry);
  }

  /// An auction that is open in Redis, and closes at this time.
  static Arena auction(long closesAt) {
    return open().auctioning(closesAt);
  }

  static String key(String suffix) {
    return "{p:arena}:" + suffix;
  }

  static String item(String name) {
    return key("item:" + name);
  }

  /// How a token of the shop is asked for. Answers with its entry.
  static String token(String value) {
    return "TOKEN %s shop\t%s".formatted(key("tok:"), value);
  }

  /// What it answers.
  static String entry(String action, String outcome) {
    return "<moment>\t%s\t%s\t%s".formatted(action, CommonExamples.DIGEST, outcome);
  }

  /// The fence with this number in the epoch of the examples.
  static long fence(int number) {
    return (7L << 32) + number;
  }

  /// The command that stores rules of a pool.
  ///
  /// @param itemsMax of a requester, or nothing
  static String rules(int version, long from, long until, String itemsMax) {
    return "HSET %s rules %d\t%d\t%d\t%s".formatted(META, version, from, until, itemsMax);
  }

  /// The rules of a sale that is over.
  static String salesOver() {
    return rules(1, 0, AHold.LONG_AGO, "");
  }

  /// Rules with a time that is no number of milliseconds since 1970.
  static String unreadableRules() {
    return rules(1, -1, AHold.FAR_AHEAD, "");
  }

  /// The rules of a pool where a requester may have this many items.
  static String itemsMax(int most) {
    return rules(1, 0, AHold.FAR_AHEAD, "" + most);
  }

  /// How a number of meta is asked for.
  static String count(String field) {
    return "HGET %s %s".formatted(META, field);
  }

  /// The only entry of the journal, as the arena's first script writes it.
  static String entryOf(String... lines) {
    return "<id>, lines, "
        + Stream.concat(Stream.of("7\t<moment>\t" + LINES), Stream.of(lines))
            .collect(Collectors.joining("\u001e"));
  }

  /// The line of a call under the token of the examples.
  static String line(String action, String outcome) {
    return line(action, CommonExamples.TOKEN, outcome);
  }

  static String line(String action, String token, String outcome) {
    return "shop\t%s\t%s\t%s\t%d\t%s"
        .formatted(token, action, CommonExamples.DIGEST, WINDOW_MS, outcome);
  }

  Arena with(AHold... holds) {
    Stream.of(holds).flatMap(AHold::commands).forEach(commands::add);
    return this;
  }

  /// Has units instead of items.
  Arena stocked(String entry) {
    var sold = entry.substring(entry.indexOf(' ') + 1, entry.indexOf('/'));
    return having(
        "HDEL %s item:A-1 item:A-2 item:A-3 item:A-4".formatted(META),
        "HSET %s kind STOCK sold %s item:stock %s".formatted(META, sold, entry.replace(' ', '␣')));
  }

  /// Has a lot instead of items.
  Arena auctioning(long closesAt) {
    return having(
        "HDEL %s item:A-1 item:A-2 item:A-3 item:A-4".formatted(META),
        "HSET %s kind AUCTION item:lot 0 closes_at %d".formatted(META, closesAt));
  }

  Arena having(String... more) {
    commands.addAll(List.of(more));
    return this;
  }

  /// A token of the shop was used a second ago.
  ///
  /// @param entry action, digest and outcome
  Arena spent(String token, String entry) {
    return spent(token, 1_000, entry);
  }

  Arena spent(String token, long agoMs, String entry) {
    return having(
        "SPEND %s %d %d shop\t%s %s"
            .formatted(key("tok:"), WINDOW_MS, agoMs, token, entry.replace(' ', '␣')));
  }

  String[] commands() {
    return commands.toArray(String[]::new);
  }
}
