package io.holdfast.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// One run of a script: the data before it, and its answer. A second run with equal arguments
/// answers the same and changes nothing, unless the example says otherwise.
///
/// @param before plain Redis commands, their parts divided by blanks
/// @param reply the texts of the first reply; after a single word the rest is not compared
/// @param second those of the second reply
/// @param leaves plain Redis commands with their answers after the first run
public record ScriptExample(
    String title,
    List<String> before,
    List<String> keys,
    List<String> arguments,
    List<String> reply,
    List<String> second,
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

  /// To be read as a sentence: `example("a newer epoch").after("HSET …").arguments(…).answers(…)`.
  public static ScriptExample example(String title) {
    var keys = List.of(Arena.META, Arena.JOURNAL);
    return new ScriptExample(
        title, List.of(), keys, List.of(), List.of(), List.of(), Map.of(), Again.NOTHING);
  }

  public ScriptExample after(String... commands) {
    return new ScriptExample(
        title, List.of(commands), keys, arguments, reply, second, leaves, again);
  }

  public ScriptExample keys(String... given) {
    return new ScriptExample(
        title, before, List.of(given), arguments, reply, second, leaves, again);
  }

  public ScriptExample arguments(String... given) {
    return new ScriptExample(title, before, keys, List.of(given), reply, second, leaves, again);
  }

  /// One more call behind those that the batch has.
  public ScriptExample andCalls(String... texts) {
    return arguments(Stream.concat(arguments.stream(), Stream.of(texts)).toArray(String[]::new));
  }

  /// The first text of the reply.
  public ScriptExample answers(String word, String... details) {
    return replying(List.of(text(word, details)));
  }

  /// The next text of the reply.
  public ScriptExample andAnswers(String word, String... details) {
    var more = new ArrayList<>(reply);
    more.add(text(word, details));
    return replying(more);
  }

  private ScriptExample replying(List<String> texts) {
    return new ScriptExample(title, before, keys, arguments, texts, texts, leaves, again);
  }

  /// What the second run answers; one word is the answer to each call.
  public ScriptExample andThen(String... texts) {
    var all = texts.length == 1 ? Collections.nCopies(reply.size(), texts[0]) : List.of(texts);
    return new ScriptExample(title, before, keys, arguments, reply, all, leaves, again);
  }

  public ScriptExample leaving(String command, String answer) {
    var more = new LinkedHashMap<>(leaves);
    more.put(command, answer);
    return new ScriptExample(title, before, keys, arguments, reply, second, more, again);
  }

  /// Neither an outcome under the token of the examples nor a line in the journal.
  public ScriptExample keepingNothing() {
    return leaving(Arena.token(CommonExamples.TOKEN), "nothing")
        .leaving("EXISTS " + Arena.JOURNAL, "0");
  }

  public ScriptExample answeringAnew() {
    return again(Again.DETAILS);
  }

  public ScriptExample renewing() {
    return again(Again.TIME_LIMITS);
  }

  public ScriptExample numbering() {
    return again(Again.NUMBER);
  }

  private ScriptExample again(Again given) {
    return new ScriptExample(title, before, keys, arguments, reply, second, leaves, given);
  }

  /// Whether the texts are as expected, whatever the moments are in them. A word and its details
  /// may be one text or many.
  static boolean isMet(List<String> expected, List<String> actual) {
    if (expected.size() == 1) {
      return isMet(expected.getFirst(), String.join("\t", actual));
    }
    return expected.size() == actual.size()
        && IntStream.range(0, expected.size()).allMatch(i -> isMet(expected.get(i), actual.get(i)));
  }

  private static boolean isMet(String expected, String actual) {
    return expected.equals(word(actual))
        || Snapshot.timeless(expected).equals(Snapshot.timeless(actual));
  }

  static String word(String text) {
    return text.split("\t", 2)[0];
  }

  private static String text(String word, String... details) {
    return Stream.concat(Stream.of(word), Stream.of(details))
        .reduce((before, more) -> before + "\t" + more)
        .orElseThrow();
  }

  @Override
  public String toString() {
    return title;
  }
}
