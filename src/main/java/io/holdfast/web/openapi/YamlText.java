package io.holdfast.web.openapi;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Writes maps, lists, texts, numbers and truth values as YAML in block style. A text that YAML
/// could read as something else is written in quotes, as in JSON.
final class YamlText {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z/][A-Za-z0-9_/{}.-]*");
  private static final Set<String> WORDS_OF_YAML =
      Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

  private final StringBuilder text = new StringBuilder();

  private YamlText() {}

  static byte[] of(Map<?, ?> document) {
    var yaml = new YamlText();
    yaml.writeMap(document, "");
    return yaml.text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /// The first member is written where the text ends, the others on lines of their own.
  private void writeMap(Map<?, ?> map, String indent) {
    var isFirst = true;
    for (var member : map.entrySet()) {
      text.append(isFirst ? "" : indent).append(scalar(member.getKey())).append(':');
      writeMember(member.getValue(), indent);
      isFirst = false;
    }
  }

  private void writeMember(@Nullable Object value, String indent) {
    if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      text.append('\n').append(indent).append("  ");
      writeMap(map, indent + "  ");
    } else if (value instanceof List<?> list && !list.isEmpty()) {
      text.append('\n');
      writeList(list, indent);
    } else {
      text.append(' ').append(scalar(value)).append('\n');
    }
  }

  private void writeList(List<?> list, String indent) {
    for (var element : list) {
      text.append(indent).append("- ");
      if (element instanceof Map<?, ?> map && !map.isEmpty()) {
        writeMap(map, indent + "  ");
      } else if (element instanceof List<?> inner && !inner.isEmpty()) {
        text.append('\n');
        writeList(inner, indent + "  ");
      } else {
        text.append(scalar(element)).append('\n');
      }
    }
  }

  private static String scalar(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> _ -> "{}";
      case List<?> _ -> "[]";
      case String word when isPlain(word) -> word;
      case String other ->
          "\"" + new String(JsonStringEncoder.getInstance().quoteAsString(other)) + "\"";
      default -> value.toString();
    };
  }

  private static boolean isPlain(String word) {
    return PLAIN.matcher(word).matches() && !WORDS_OF_YAML.contains(word.toLowerCase(Locale.ROOT));
  }
}
