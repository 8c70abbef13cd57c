package io.holdfast.bench;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One line of Redis' MONITOR: when, from whom, and the words of a command in quotes.
final class MonitorLine {
  private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern ESCAPE = Pattern.compile("\\\\(x([0-9a-f]{2})|.)");
  private static final String BY_A_SCRIPT = " lua]";

  private MonitorLine() {}

  /// None, if a script ran the command and not a client.
  static List<String> words(String line) {
    if (line.substring(0, line.indexOf('"')).contains(BY_A_SCRIPT)) {
      return List.of();
    }
    return WORD.matcher(line).results().map(word -> unescape(word.group(1))).toList();
  }

  private static String unescape(String text) {
    return ESCAPE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(plain(found.group())));
  }

  private static String plain(String escape) {
    return switch (escape.charAt(1)) {
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 't' -> "\t";
      case 'a' -> "\u0007";
      case 'b' -> "\b";
      case 'x' -> Character.toString(Integer.parseInt(escape.substring(2), 16));
      default -> escape.substring(1);
    };
  }
}
