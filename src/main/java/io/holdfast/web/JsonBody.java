package io.holdfast.web;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Parses a request body strictly: one JSON object in UTF-8, each name once, nothing after it. It
/// refuses everything that two parsers might read differently.
public final class JsonBody {
  private static final int DEPTH_MAX = 32;
  private static final int NUMBER_LENGTH_MAX = 100;

  /// A number of so many characters, with or without a sign, fits into a long.
  private static final int LONG_LENGTH_SURE = 18;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(
              JsonFactory.Feature
                  .INTERN_FIELD_NAMES) // callers choose the names, so interning them would fill the
          // memory
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEPTH_MAX)
                  .maxNumberLength(NUMBER_LENGTH_MAX)
                  .build())
          .build();

  private final JsonParser parser;
  private final boolean hasEscapes;

  private JsonBody(JsonParser parser, boolean hasEscapes) {
    this.parser = parser;
    this.hasEscapes = hasEscapes;
  }

  /// Returns a tree of `Map`, `List`, `String`, `Long`, `BigDecimal`, `Boolean` and null. Members
  /// keep the order in which they were sent.
  ///
  /// @throws UnparsableBody if it is not such an object
  public static Map<String, @Nullable Object> read(byte[] bytes) {
    var text = Utf8Check.of(bytes);
    try (var parser = JSON.createParser(bytes)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new UnparsableBody("The body has to be a JSON object.");
      }
      var body = new JsonBody(parser, text.hasEscapes()).object();
      if (parser.nextToken() != null) {
        throw new UnparsableBody("The body has more than one JSON object.");
      }
      return body;
    } catch (IOException | ArithmeticException | NumberFormatException e) {
      throw new UnparsableBody("The body is not valid JSON.");
    }
  }

  private Map<String, @Nullable Object> object() throws IOException {
    var members = new LinkedHashMap<String, @Nullable Object>();
    var count = 0;
    String name;
    while ((name = parser.nextFieldName()) != null) {
      members.put(complete(name), value(parser.nextToken()));
      if (members.size() != ++count) {
        throw new UnparsableBody("An object in the body has the same name twice.");
      }
    }
    return members;
  }

  private List<@Nullable Object> list() throws IOException {
    var elements = new ArrayList<@Nullable Object>();
    JsonToken token;
    while ((token = parser.nextToken()) != JsonToken.END_ARRAY) {
      elements.add(value(token));
    }
    return elements;
  }

  private @Nullable Object value(JsonToken token) throws IOException {
    return switch (token) {
      case START_OBJECT -> object();
      case START_ARRAY -> list();
      case VALUE_STRING -> complete(parser.getText());
      case VALUE_NUMBER_INT -> number(true);
      case VALUE_NUMBER_FLOAT -> number(false);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new UnparsableBody("The body is not valid JSON.");
    };
  }

  private Object number(boolean isWhole) throws IOException {
    if (parser.getTextLength() > NUMBER_LENGTH_MAX) {
      throw new UnparsableBody(
          "A number in the body has more than " + NUMBER_LENGTH_MAX + " characters.");
    }
    if (isWhole && parser.getTextLength() <= LONG_LENGTH_SURE) {
      return parser.getLongValue();
    }
    return new BigDecimal(
        parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
  }

  private String complete(String text) {
    if (hasEscapes && Utf8Check.hasLoneSurrogate(text)) {
      throw new UnparsableBody(
          "A text in the body has a lone surrogate, which is half a character.");
    }
    return text;
  }
}
