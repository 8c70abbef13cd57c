package io.holdfast.web;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a caller stores with a hold or a checkout: a few names, each with a text of any characters.
///
/// It is kept as one text: a JSON object with the names in order, so that equal metadata is equal
/// text, or nothing if there is none. JSON escapes control characters, so the text is one field of
/// a record in Redis and of a line of the journal.
public final class Metadata {
  public static final String NONE = "";

  private static final int NAMES_MAX = 20;
  private static final int BYTES_MAX = 2048;

  private Metadata() {}

  /// Null if the field is absent. A name without a value counts as absent, as it does in the digest
  /// of the call.
  static @Nullable Map<String, String> read(JsonFields fields, String name) {
    var members = fields.optionalMap(name);
    if (members == null) {
      return null;
    }
    var metadata = new TreeMap<String, String>();
    var bytes = 0;
    for (var member : members.entrySet()) {
      if (member.getValue() == null) {
        continue;
      }
      var path = name + "." + TextRule.shown(member.getKey());
      if (TextRule.ANY.fault(member.getKey()) instanceof String fault) {
        throw fields.invalid(name, "has a name that " + fault);
      }
      if (!(member.getValue() instanceof String text)) {
        throw fields.invalid(path, "has to be a text");
      }
      if (text.indexOf('\0') >= 0) {
        throw fields.invalid(path, "must not have the character U+0000");
      }
      bytes += utf8(member.getKey()) + utf8(text);
      metadata.put(member.getKey(), text);
    }
    if (metadata.size() > NAMES_MAX) {
      throw fields.invalid(name, "has to have at most " + NAMES_MAX + " texts");
    }
    if (bytes > BYTES_MAX) {
      throw fields.invalid(
          name, "has to have at most " + BYTES_MAX + " bytes, names and texts together");
    }
    return metadata;
  }

  /// The text that is kept.
  public static String format(@Nullable Map<String, String> metadata) {
    return metadata == null || metadata.isEmpty()
        ? NONE
        : new TreeMap<>(metadata)
            .entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + ":" + quoted(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
  }

  /// The metadata of a kept text; null if there is none. Empty if it was erased.
  public static @Nullable Map<String, String> parse(String text) {
    if (text.isEmpty()) {
      return null;
    }
    var metadata = new TreeMap<String, String>();
    JsonBody.read(text.getBytes(StandardCharsets.UTF_8))
        .forEach((name, value) -> metadata.put(name, (String) value));
    return metadata;
  }

  private static String quoted(String text) {
    return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
