package io.holdfast.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The comment that a script opens with, read as its contract. What cannot be read is refused with
/// one sentence that names the line.
///
/// @param keys declarations of `KEYS`, in order
/// @param arguments declarations of `ARGV`, in order
/// @param isOfCalls whether there is an answer to each of many calls
/// @param words first words of the answers
/// @param replayWords those of them that a second run with equal arguments may answer
record ScriptHeader(
    String verb,
    List<Slot> keys,
    List<Slot> arguments,
    boolean isOfCalls,
    Set<String> words,
    Set<String> replayWords) {

  private static final List<String> SECTIONS = List.of("Returns", "Writes", "Replay", "Cost");
  private static final Pattern TITLE = Pattern.compile("([a-z][a-z-]*): \\S.*\\.");
  private static final Pattern SLOT = Pattern.compile("(KEYS|ARGV)\\[(\\d+)(\\.\\.)?]");
  private static final String EACH = "for each call: ";
  private static final Pattern RETURNED =
      Pattern.compile("(?:\\{'|%s|\\| |or for all of them: )([A-Z][A-Z_]*)\\b".formatted(EACH));
  private static final Pattern WORD = Pattern.compile("\\b[A-Z][A-Z_]+\\b");

  /// One `KEYS[2]`, or with `isOpen` all from there on, and what the header says of it.
  record Slot(int number, boolean isOpen, String text) {

    boolean covers(int used) {
      return isOpen ? used >= number : used == number;
    }
  }

  static ScriptHeader parse(String script) {
    var lines = script.lines().takeWhile(line -> line.startsWith("--")).map(ScriptHeader::bare);
    var header = lines.toList();
    var title = header.isEmpty() ? "" : header.getFirst();
    var matcher = TITLE.matcher(title);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "the first line must be \"-- verb: sentence.\", but is \"" + title + "\"");
    }
    var sections = sections(header.subList(1, header.size()));
    return new ScriptHeader(
        matcher.group(1),
        slots("KEYS", sections),
        slots("ARGV", sections),
        sections.get("Returns").contains(EACH),
        allOf(RETURNED, 1, sections.get("Returns")),
        allOf(WORD, 0, sections.get("Replay")));
  }

  private static String bare(String line) {
    return line.replaceFirst("^--+ ?", "");
  }

  /// A line that starts with a label opens a section, one that is indented goes on with it.
  private static Map<String, String> sections(List<String> lines) {
    var sections = new LinkedHashMap<String, String>();
    var label = "";
    for (var line : lines.stream().filter(line -> !line.isBlank()).toList()) {
      if (!line.startsWith(" ")) {
        label = label(line);
      }
      sections.merge(label, line, (before, more) -> before + "\n" + more);
    }
    for (var needed : SECTIONS) {
      if (sections.getOrDefault(needed, needed).strip().equals(needed)) {
        throw new IllegalArgumentException("the header says nothing under " + needed);
      }
    }
    return sections;
  }

  private static String label(String line) {
    var first = line.split("[ \\[]", 2)[0];
    if (SECTIONS.contains(first) || first.equals("KEYS") || first.equals("ARGV")) {
      return first;
    }
    throw new IllegalArgumentException(
        "a line of the header belongs to nothing: \"" + line + "\"; indent what goes on");
  }

  private static List<Slot> slots(String array, Map<String, String> sections) {
    var text = sections.getOrDefault(array, "");
    var found = SLOT.matcher(text).results().toList();
    var slots = new ArrayList<Slot>();
    for (var i = 0; i < found.size(); i++) {
      var end = i + 1 < found.size() ? found.get(i + 1).start() : text.length();
      slots.add(slot(array, i, found.get(i), text.substring(found.get(i).end(), end).strip()));
    }
    if (slots.stream().limit(Math.max(0, slots.size() - 1)).anyMatch(Slot::isOpen)) {
      throw new IllegalArgumentException("only the last of " + array + " can be a range");
    }
    return slots;
  }

  private static Slot slot(String array, int index, MatchResult found, String text) {
    var isInOrder = Integer.parseInt(found.group(2)) == index + 1;
    if (!isInOrder || !found.group(1).equals(array) || text.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is out of order or has no name; %s[%d] is due"
              .formatted(found.group(), array, index + 1));
    }
    return new Slot(index + 1, found.group(3) != null, text);
  }

  private static Set<String> allOf(Pattern pattern, int group, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(found -> found.group(group))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
