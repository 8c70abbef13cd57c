package io.holdfast.redis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// One call of a script: what was there before, and what it answers. A second call with equal
/// arguments answers the same and changes nothing, unless the example says otherwise.
///
/// @param before plain Redis commands, their parts divided by blanks
/// @param details what stands behind the word of the first answer; not looked at if empty
/// @param secondWord the first word of the answer to the second call
/// @param leaves plain Redis commands with what they answer after the first call
public record ScriptExample(
    String title,
    List<String> before,
    List<String> keys,
    List<String> arguments,
    String word,
    List<String> details,
    String secondWord,
    Map<String, String> leaves,
    Again again) {

  /// What may differ in a call that is made again.
  public enum Again {
    /// Nothing: not the answer, and not what is in memory.
    NOTHING,
    /// What stands behind the word, because the call tells how things are now, or what it did.
    DETAILS,
    /// The same, and time limits in memory, because the call counts them from now.
    TIME_LIMITS,
    /// The same, and a number that is each call's own.
    NUMBER
  }

  /// To be read as a sentence: `example("a newer epoch").after("HSET …").keys(…).arguments(…)`.
  public static ScriptExample example(String title) {
    return new ScriptExample(
        title, List.of(), List.of(), List.of(), "", List.of(), "", Map.of(), Again.NOTHING);
  }

  public ScriptExample after(String... commands) {
    return new ScriptExample(
        title, List.of(commands), keys, arguments, word, details, secondWord, leaves, again);
  }

  public ScriptExample keys(String... given) {
    return new ScriptExample(
        title, before, List.of(given), arguments, word, details, secondWord, leaves, again);
  }

  public ScriptExample arguments(String... given) {
    return new ScriptExample(
        title, before, keys, List.of(given), word, details, secondWord, leaves, again);
  }

  public ScriptExample answers(String expected, String... more) {
    return new ScriptExample(
        title, before, keys, arguments, expected, List.of(more), expected, leaves, again);
  }

  public ScriptExample andThen(String expected) {
    return new ScriptExample(
        title, before, keys, arguments, word, details, expected, leaves, again);
  }

  public ScriptExample leaving(String command, String answer) {
    var more = new LinkedHashMap<>(leaves);
    more.put(command, answer);
    return new ScriptExample(
        title, before, keys, arguments, word, details, secondWord, more, again);
  }

  public ScriptExample answeringAnew() {
    return new ScriptExample(
        title, before, keys, arguments, word, details, secondWord, leaves, Again.DETAILS);
  }

  public ScriptExample renewing() {
    return new ScriptExample(
        title, before, keys, arguments, word, details, secondWord, leaves, Again.TIME_LIMITS);
  }

  public ScriptExample numbering() {
    return new ScriptExample(
        title, before, keys, arguments, word, details, secondWord, leaves, Again.NUMBER);
  }

  @Override
  public String toString() {
    return title;
  }
}
