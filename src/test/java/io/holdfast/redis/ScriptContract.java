package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/// Checks the code of a script against its header, and against the rules for all scripts.
final class ScriptContract {
  private static final String TAG = "{p:<pool>}:";
  private static final String TAG_OF_A_GUARD = "{g:<guard>}:";
  private static final String TAG_OF_THE_INDEX = "{holdfast}:";

  /// Every script is handed the run id; one without epochs says in its header that it has no use
  /// for it.
  private static final String UNUSED = "not used: ";

  /// Walks over the keyspace, and commands whose answer is a matter of chance.
  private static final Set<String> FORBIDDEN =
      Set.of("KEYS", "SCAN", "RANDOMKEY", "SRANDMEMBER", "HRANDFIELD", "ZRANDMEMBER", "SPOP");

  private final String name;
  private final ScriptHeader header;
  private final ScriptBody body;
  private final List<String> breaches = new ArrayList<>();

  private ScriptContract(String name, String text) {
    this.name = name;
    this.header = ScriptHeader.parse(text);
    this.body = new ScriptBody(text);
  }

  /// Returns one sentence for each breach.
  ///
  /// @param name folder and verb, as in `pool/seed`
  static List<String> breaches(String name, String text) {
    try {
      return new ScriptContract(name, text).check();
    } catch (IllegalArgumentException e) {
      return List.of(e.getMessage());
    }
  }

  private List<String> check() {
    breachIf(!name.endsWith("/" + header.verb()), "the header calls it " + header.verb());
    checkSlots("KEYS", header.keys());
    checkSlots("ARGV", header.arguments());
    for (var key : header.keys()) {
      var isTagged =
          Stream.of(TAG, TAG_OF_A_GUARD, TAG_OF_THE_INDEX).anyMatch(key.text()::contains);
      breachIf(!isTagged, "KEYS[%d] shows no %s".formatted(key.number(), TAG));
    }
    checkAnswers();
    checkCommands();
    breachIf(body.mentions("math", ".", "random"), "chance has no place in a script");
    breachIf(body.mentions("tostring"), "numbers are printed by string.format");
    return breaches;
  }

  private void checkSlots(String array, List<ScriptHeader.Slot> slots) {
    var used = body.indexes(array);
    var isFree = body.usesFreely(array);
    for (var slot : slots) {
      var isUsed = slot.isOpen() ? isFree : used.contains(slot.number());
      breachIf(
          !isUsed && !slot.text().contains(UNUSED),
          "%s[%d] is listed, but not used".formatted(array, slot.number()));
      breachIf(
          isUsed && slot.text().contains(UNUSED),
          "%s[%d] is used, though the header says otherwise".formatted(array, slot.number()));
    }
    used.stream()
        .filter(number -> slots.stream().noneMatch(slot -> slot.covers(number)))
        .forEach(number -> breaches.add("%s[%d] is used, but not listed".formatted(array, number)));
    breachIf(
        isFree && slots.stream().noneMatch(ScriptHeader.Slot::isOpen),
        "%s is used beyond plain numbers, but no range like %s[2..] is listed"
            .formatted(array, array));
  }

  private void checkAnswers() {
    breachIf(
        !header.words().equals(body.words()),
        "the header returns %s, the code %s".formatted(header.words(), body.words()));
    breachIf(
        !header.words().containsAll(header.replayWords()),
        "Replay names %s, Returns only %s".formatted(header.replayWords(), header.words()));
    for (var answer : body.wordlessAnswers()) {
      breaches.add("an answer starts with no literal word: return " + answer);
    }
  }

  private void checkCommands() {
    var commands = body.commands().stream().map(c -> c.toUpperCase(Locale.ROOT)).toList();
    for (var command : commands) {
      breachIf(command.equals("?"), "a redis.call has no literal command");
      breachIf(FORBIDDEN.contains(command), command + " has no place in a script");
    }
    breachIf(commands.lastIndexOf("TIME") > 0, "TIME is read once, before any other call to Redis");
  }

  private void breachIf(boolean isBreach, String sentence) {
    if (isBreach) {
      breaches.add(sentence);
    }
  }
}
