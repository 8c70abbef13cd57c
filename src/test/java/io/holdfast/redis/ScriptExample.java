package io.holdfast.redis;

import java.util.List;

/// One call of a script: what was there before, and the word that it answers with. A second call
/// with equal arguments answers the same and changes nothing, unless the example says otherwise.
///
/// @param before plain Redis commands, their parts divided by blanks
/// @param secondWord the first word of the answer to the second call
/// @param isRenewal whether the call, made again, counts its time limits from now
public record ScriptExample(
    String title,
    List<String> before,
    List<String> keys,
    List<String> arguments,
    String word,
    String secondWord,
    boolean isRenewal) {

  /// To be read as a sentence: `example("a newer epoch").after("HSET …").keys(…).arguments(…)`.
  public static ScriptExample example(String title) {
    return new ScriptExample(title, List.of(), List.of(), List.of(), "", "", false);
  }

  public ScriptExample after(String... commands) {
    return new ScriptExample(
        title, List.of(commands), keys, arguments, word, secondWord, isRenewal);
  }

  public ScriptExample keys(String... given) {
    return new ScriptExample(title, before, List.of(given), arguments, word, secondWord, isRenewal);
  }

  public ScriptExample arguments(String... given) {
    return new ScriptExample(title, before, keys, List.of(given), word, secondWord, isRenewal);
  }

  public ScriptExample answers(String expected) {
    return new ScriptExample(title, before, keys, arguments, expected, expected, isRenewal);
  }

  public ScriptExample andThen(String expected) {
    return new ScriptExample(title, before, keys, arguments, word, expected, isRenewal);
  }

  public ScriptExample renewing() {
    return new ScriptExample(title, before, keys, arguments, word, secondWord, true);
  }

  @Override
  public String toString() {
    return title;
  }
}
